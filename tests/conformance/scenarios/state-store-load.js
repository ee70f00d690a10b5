const value = { list: [1, { a: null }], text: 'ü' };
store('k', value);
value.list.push('later');
const first = load('k');
first.list.push('mine');
store('', 0);
store('__proto__', { a: 1 });
store('gone', 1);
store('gone', undefined);
store('never there', undefined);
return [
  load('k'),
  load('k') !== load('k'),
  load(''),
  load('__proto__'),
  load('gone'),
  load('x'),
].map((each) => (each === undefined ? 'undefined' : each));
