setTimeout(() => {
  throw new TypeError('from a timer');
}, 10);
await tools.never();
