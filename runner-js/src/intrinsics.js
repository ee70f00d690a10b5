// What the engine offers, as it was before the program ran.
//
// The worker shares one realm with the program, which may replace any method of any prototype and
// any global. So the modules that still work for it afterwards use nothing but these: plain
// functions that take the receiver first, and lists without a prototype, in which storing an
// element never meets a setter.

const { bind, call } = Function.prototype;
const receiverFirst = bind.bind(call);
const { defineProperty, getOwnPropertyDescriptor, setPrototypeOf, create, freeze } = Object;
const { isArray } = Array;
const { ownKeys, getPrototypeOf, apply } = Reflect;
const { parse, stringify } = JSON;
const { isFinite, isInteger } = Number;
const { min, max, round } = Math;
const Saved = {
  Error,
  TypeError,
  RangeError,
  SyntaxError,
  Promise,
  Map,
  Set,
  WeakMap,
  WeakSet,
  String,
  Symbol,
  RegExp,
  Buffer,
  BigInt,
  Proxy,
};

export const engine = {
  ...Saved,
  receiverFirst,
  defineProperty,
  getOwnPropertyDescriptor,
  setPrototypeOf,
  create,
  freeze,
  isArray,
  ownKeys,
  getPrototypeOf,
  apply,
  parse,
  stringify,
  isFinite,
  isInteger,
  min,
  max,
  round,
  objectKeys: Object.keys,
  hasOwn: Object.hasOwn,
  objectIs: Object.is,
  functionText: receiverFirst(Function.prototype.toString),
  then: receiverFirst(Promise.prototype.then),
  mapGet: receiverFirst(Map.prototype.get),
  mapSet: receiverFirst(Map.prototype.set),
  mapDelete: receiverFirst(Map.prototype.delete),
  mapForEach: receiverFirst(Map.prototype.forEach),
  setHas: receiverFirst(Set.prototype.has),
  setAdd: receiverFirst(Set.prototype.add),
  setDelete: receiverFirst(Set.prototype.delete),
  weakGet: receiverFirst(WeakMap.prototype.get),
  weakSet: receiverFirst(WeakMap.prototype.set),
  weakHas: receiverFirst(WeakSet.prototype.has),
  weakAdd: receiverFirst(WeakSet.prototype.add),
  sort: receiverFirst(Array.prototype.sort),
  slice: receiverFirst(String.prototype.slice),
  indexOf: receiverFirst(String.prototype.indexOf),
  lastIndexOf: receiverFirst(String.prototype.lastIndexOf),
  startsWith: receiverFirst(String.prototype.startsWith),
  endsWith: receiverFirst(String.prototype.endsWith),
  lowerCase: receiverFirst(String.prototype.toLowerCase),
  codeUnit: receiverFirst(String.prototype.charCodeAt),
  exec: receiverFirst(RegExp.prototype.exec),
  booleanValue: receiverFirst(Boolean.prototype.valueOf),
  byteLength: Buffer.byteLength,
  bufferFrom: Buffer.from,
  bufferCopy: receiverFirst(Buffer.prototype.copy),
  load: Atomics.load,
  store: Atomics.store,
  exchange: Atomics.exchange,
  wait: Atomics.wait,
  hrtime: process.hrtime,
};

// Whether this realm is the program's alone, without anything of node's (realm.js).
export const alone = globalThis.process === undefined;

const nothing = () => {};
const LITTLE = Object.freeze(new Array(512).fill(0));
const MUCH = Object.freeze(new Array(8192).fill(0));

// What works for the program can't stop half way, in the middle of a frame say. Where the stack has
// less room than that takes, so many arguments don't fit there, and the engine's RangeError comes
// before anything has begun.
export function reserve(much = false) {
  engine.apply(nothing, undefined, much ? MUCH : LITTLE);
}

// An array in which elements can be stored whatever became of Array.prototype.
export function list() {
  return setPrototypeOf([], null);
}

// Calls back when the promise settles, whatever became of Promise and its prototype: a promise
// whose own constructor is undefined is followed by the engine's own.
export function follow(promise, fulfilled, rejected) {
  defineProperty(promise, 'constructor', { __proto__: null, value: undefined, configurable: true });
  engine.then(promise, fulfilled, rejected);
}

// Milliseconds on a clock that all threads share.
export function now() {
  const time = engine.hrtime();
  return time[0] * 1e3 + time[1] / 1e6;
}
