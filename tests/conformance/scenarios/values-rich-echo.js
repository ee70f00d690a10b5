class Own extends Error {
  name = 'Own';
}
const cause = new RangeError('inner');
const given = {
  nothing: undefined, numbers: [NaN, Infinity, -Infinity, -0], big: -(2n ** 100n), date: new Date(7),
  like: /x/gs, map: new Map([[new Date(1), new Set(['a', 1n])]]), bytes: Buffer.from('é'),
  floats: new Float32Array([1.5, -0]), mine: { $errand: { $errand: 1 } },
  errors: [new TypeError('outer', { cause }), new Own('own'), new AggregateError([cause], 'all')],
};
const got = await tools.echo(given);
const same = [
  'nothing' in got && got.nothing === undefined,
  got.numbers.every((n, i) => Object.is(n, given.numbers[i])),
  got.big === given.big, got.date instanceof Date && +got.date === 7,
  got.like.source === 'x' && got.like.flags === 'gs' && got.like.lastIndex === 0,
  +[...got.map.keys()][0] === 1 && [...got.map.values()][0].has(1n),
  Buffer.isBuffer(got.bytes) && got.bytes.toString() === 'é',
  got.floats instanceof Float32Array && Object.is(got.floats[1], -0),
  JSON.stringify(got.mine) === '{"$errand":{"$errand":1}}',
  got.errors[0] instanceof TypeError && got.errors[0].cause instanceof RangeError,
  got.errors[0].stack === given.errors[0].stack && got.errors[0].message === 'outer',
  got.errors[1].name === 'Own' && got.errors[1].constructor === Error,
  got.errors[2] instanceof AggregateError && got.errors[2].errors[0].message === 'inner',
  await tools.echo(undefined) === undefined,
];
return same.indexOf(false);
