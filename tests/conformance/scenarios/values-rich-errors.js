const at = (error) => Object.assign(error, { stack: 'S' });
return [
  at(new TypeError('t', { cause: at(new Error('', { cause: undefined })) })),
  at(new AggregateError([1n], 'all')),
];
