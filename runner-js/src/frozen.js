// A realm whose built-ins nobody can change any more (globals = pure).
//
// What is frozen can't be overridden by assignment in what inherits from it either. For the names
// of which programs do so, the property becomes a pair of accessors that acts as if it could be.

import { engine, list } from './intrinsics.js';

const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys, freeze } = engine;
const { Set, TypeError, setAdd, setHas } = engine;
const OVERRIDDEN = [
  'constructor',
  'name',
  'message',
  'toString',
  'toLocaleString',
  'valueOf',
  'toJSON',
];
// What engines put into each realm beside the language.
const FOREIGN = ['WebAssembly', 'console'];

export function dropForeign() {
  for (const name of FOREIGN) delete globalThis[name];
}

// Objects behind which stand the intrinsics that no global leads to.
function samples() {
  const made = [
    async () => {},
    (function* () {})(),
    (async function* () {})(),
    [].values(),
    ''[Symbol.iterator](),
    new Map().values(),
    new Set().values(),
    ''.matchAll(/a/g),
    (function () {
      return getOwnPropertyDescriptor(arguments, 'callee').get;
    })(),
  ];
  if (globalThis.Iterator !== undefined)
    made.push(
      [].values().map(() => {}),
      globalThis.Iterator.from({ next() {} }),
    );
  if (Intl.Segmenter !== undefined) {
    const segments = new Intl.Segmenter().segment('');
    made.push(segments, segments[Symbol.iterator]());
  }
  return made;
}

const isObject = (value) =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

function mend(holder, key, found) {
  const own = getOwnPropertyDescriptor(holder, key);
  if (own === undefined || !own.configurable || own.get || own.set) return;
  const { value, enumerable } = own;
  found(own);
  const { get, set } = {
    get() {
      return value;
    },
    set(next) {
      if (this === holder) throw new TypeError('built-ins are frozen');
      defineProperty(this, key, {
        __proto__: null,
        value: next,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    },
  };
  defineProperty(holder, key, { __proto__: null, get, set, enumerable, configurable: false });
}

// A function's own name is nobody's to inherit.
function mendHolder(holder, found) {
  if (typeof holder === 'function' && holder !== Function.prototype) return;
  const keys = holder === Object.prototype ? ownKeys(holder) : OVERRIDDEN;
  for (let i = 0; i < keys.length; i++) mend(holder, keys[i], found);
}

// Names that stand for the same thing for ever; others may be added.
function holdGlobals(found) {
  const keys = ownKeys(globalThis);
  for (let i = 0; i < keys.length; i++) {
    const own = getOwnPropertyDescriptor(globalThis, keys[i]);
    found(own);
    if (!own.configurable || own.get || own.set) continue;
    const { value, enumerable } = own;
    const held = { __proto__: null, value, enumerable, writable: false, configurable: false };
    defineProperty(globalThis, keys[i], held);
  }
}

// All that leads from the globals to anything is frozen from here on.
export function freezeRealm() {
  const known = new Set();
  const queue = list();
  let count = 0;
  const add = (value) => {
    if (!isObject(value) || value === globalThis || setHas(known, value)) return;
    setAdd(known, value);
    queue[count++] = value;
  };
  const found = ({ value, get, set }) => {
    add(value);
    add(get);
    add(set);
  };
  holdGlobals(found);
  const made = samples();
  for (let i = 0; i < made.length; i++) add(made[i]);
  for (let at = 0; at < count; at++) {
    const object = queue[at];
    mendHolder(object, found);
    freeze(object);
    add(getPrototypeOf(object));
    const keys = ownKeys(object);
    for (let k = 0; k < keys.length; k++) found(getOwnPropertyDescriptor(object, keys[k]));
  }
}
