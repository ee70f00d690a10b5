const AsyncFunction = (async () => {}).constructor;
const roots = [
  Object, Function, Array, String, Number, Boolean, Symbol, BigInt, Date, RegExp, Promise, Map, Set,
  WeakMap, WeakSet, WeakRef, Error, TypeError, ArrayBuffer, Uint8Array, Proxy, AsyncFunction,
  ToolError,
];
const objects = [
  JSON, Math, Reflect, Atomics, Intl, console, tools, signal, Intl.Collator.prototype,
  Object.getPrototypeOf(Uint8Array), Object.getPrototypeOf([].values()),
  Object.getPrototypeOf(Object.getPrototypeOf([].values())),
  (function* () {}).constructor.prototype.prototype,
  (async function* () {}).constructor.prototype.prototype,
  Object.getPrototypeOf(''.matchAll(/a/g)), Object.getPrototypeOf(new Map().keys()),
];
const loose = [];
for (const each of [...roots, ...roots.map((root) => root.prototype), ...objects])
  if (each !== undefined && !Object.isFrozen(each)) loose.push(String(each.name ?? each));
const refused = [];
for (const attempt of [
  () => { Array.prototype.map = 1; },
  () => { Object.prototype.toString = () => 'mine'; },
  () => { Error.prototype.name = 'Mine'; },
  () => { Promise = 1; },
  () => { globalThis.Map = 1; },
  () => { delete globalThis.Set; if (globalThis.Set) throw new TypeError('kept'); },
  () => { Object.defineProperty(globalThis, 'JSON', { value: 1 }); },
  () => { Object.setPrototypeOf(Array.prototype, null); },
  () => { Error.prepareStackTrace = () => 1; },
  () => { Error.stackTraceLimit = 0; },
  () => { console.log = 1; },
  () => { tools.echo = 1; },
  () => { ToolError.prototype.name = 'x'; },
]) {
  try {
    attempt();
    refused.push(String(attempt));
  } catch (error) {
    if (!(error instanceof TypeError)) refused.push(String(error));
  }
}
globalThis.added = 1;
return [loose, refused, added];
