// Everything that items and stores might use is gone; they come all the same.
const { defineProperty } = Object;
const { ownKeys } = Reflect;
const rot = () => {
  throw 'patched';
};
const data = 'iVBO Rw0KGgo=';
const blob = new Blob(['hi'], { type: 'text/plain' });
const bytes = new Uint8Array([104, 105]);
const { then } = Promise.prototype;
const classes = [
  Array,
  Object,
  String,
  Map,
  Set,
  RegExp,
  Function,
  Number,
  Error,
  TypeError,
  Buffer,
  Uint8Array,
  Object.getPrototypeOf(Uint8Array),
  Blob,
  ArrayBuffer,
  Symbol,
  BigInt,
  Boolean,
];
const spoil = (object) => {
  for (let i = 0, keys = ownKeys(object); i < keys.length; i++)
    if (keys[i] !== 'constructor' && keys[i] !== 'prototype' && keys[i] !== '__proto__')
      try {
        defineProperty(object, keys[i], { configurable: true, writable: true, value: rot });
      } catch {}
};
for (let i = 0; i < classes.length; i++) spoil(classes[i].prototype);
const spaces = [JSON, Reflect, Math, Buffer, Object, Number, Array];
for (let i = 0; i < spaces.length; i++) spoil(spaces[i]);
const names = ['Buffer', 'Blob', 'Uint8Array', 'Map', 'String', 'JSON', 'TypeError', 'RangeError'];
for (let i = 0; i < names.length; i++) globalThis[names[i]] = undefined;
text('plain');
text({ a: [1] });
image({ type: 'image', data });
image(bytes.length === undefined ? bytes : 'data:image/png;base64,iVBORw0KGgo=');
emit({ type: 'resource', resource: { uri: 'a:b', text: 'c' } });
emit(bytes);
file('a.txt', 'ü');
store('a', { b: [1] });
store('c', 2);
store('c', undefined);
text(load('a'));
try {
  await emit(blob); // As node's own reading of it fares.
} catch {}
return 'done';
