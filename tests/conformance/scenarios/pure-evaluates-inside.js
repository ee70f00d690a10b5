const inside = [
  eval('1 + 1'),
  new Function('a', 'return a * 2')(21),
  (0, eval)('typeof process'),
  new Function('return typeof this.process')(),
  new Function('return this === globalThis')(),
  (await new (async () => {}).constructor('return typeof require')()),
];
return inside;
