// Whatever became of the built-ins, what is missing has its place.
const broken = () => {
  throw new Error('patched');
};
Error.prepareStackTrace = broken;
for (const name of ['get', 'set', 'has']) WeakMap.prototype[name] = Map.prototype[name] = broken;
for (const name of ['exec', 'test']) RegExp.prototype[name] = broken;
for (const name of ['split', 'indexOf', 'slice', 'match', 'replace']) String.prototype[name] = broken;
for (const name of ['map', 'slice', 'shift', 'join', 'filter']) Array.prototype[name] = broken;
Reflect.ownKeys = Object.keys = broken;
await import('parts').then(broken, () => {});
await import('library');
