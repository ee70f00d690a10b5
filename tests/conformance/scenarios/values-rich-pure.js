const given = {
  map: new Map([[new Date(1), new Set([1n])]]), bytes: new Uint16Array([1, 2]), like: /x/g,
  error: new TypeError('t', { cause: NaN }), raw: new ArrayBuffer(1),
};
Object.defineProperty(given.error, 'stack', { value: 'S' });
const got = await tools.echo(given);
const buffer = await home.buffer();
let blob;
try {
  await home.blob();
} catch (error) {
  blob = error.message;
}
return [
  got.map instanceof Map, [...got.map.keys()][0] instanceof Date, got.bytes instanceof Uint16Array,
  got.error instanceof TypeError, got.error.constructor === TypeError, buffer.constructor.name,
  Object.isFrozen(input), input[0] instanceof Map, input[1][0], blob,
];
