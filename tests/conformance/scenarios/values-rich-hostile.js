// The program spoils all that it can reach after it made its values.
const { echo } = tools;
const value = {
  map: new Map([['k', new Set([1n])]]), date: new Date(5), bytes: new Uint8Array([1, 2]),
  like: /x/g, n: NaN, b: Buffer.from('z'), big: 7n, minus: -0,
  error: new AggregateError([1], 'all', { cause: 1 }), list: [1, [2]],
};
Object.defineProperty(value.error, 'stack', { value: 'S' });
const classes = [
  Map, Set, Date, RegExp, Uint8Array, Object.getPrototypeOf(Uint8Array), ArrayBuffer, DataView,
  Buffer, TypeError, AggregateError, BigInt, Array, Promise, Error,
];
const objects = [JSON, Reflect, Math, Object];
const iterated = [[][Symbol.iterator](), new Map().entries(), new Set().values()];
const rot = () => { throw new SavedError('patched'); };
const SavedError = Error, { defineProperty, getPrototypeOf } = Object, { ownKeys } = Reflect;
const put = (object, key, what) => {
  try { defineProperty(object, key, { configurable: true, ...what }); } catch {}
};
const spoil = (object) => {
  const keys = ownKeys(object);
  for (let k = 0; k < keys.length; k++) put(object, keys[k], { value: rot, writable: true });
};
const members = ['$errand', 'value', 'stack', 'cause', 'errors', 'get', 'set', 'source', 'shape'];
const names = [
  'Map', 'Set', 'Date', 'RegExp', 'Uint8Array', 'ArrayBuffer', 'DataView', 'Buffer', 'TypeError',
  'AggregateError', 'Error', 'BigInt', 'JSON', 'Reflect', 'Blob', 'Promise',
];
for (let i = 0; i < members.length; i++)
  put(Object.prototype, members[i], { value: 'polluted', writable: true });
for (let i = 0; i < iterated.length; i++) spoil(getPrototypeOf(iterated[i]));
for (let i = 0; i < names.length; i++) put(globalThis, names[i], { value: undefined });
for (let i = 0; i < classes.length; i++) spoil(classes[i].prototype);
for (let i = 0; i < classes.length; i++) spoil(classes[i]);
for (let i = 0; i < objects.length; i++) spoil(objects[i]);
const first = await echo({ map: value.map, date: value.date, bytes: value.bytes });
await echo(first);
const second = await echo({ like: value.like, n: value.n, b: value.b, big: value.big, list: [-0, [2]] });
await echo(second);
const third = await echo(value.error);
await echo({ third, own: { $errand: 1 } });
return first;
