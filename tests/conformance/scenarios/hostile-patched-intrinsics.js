const real = { stringify: JSON.stringify, keys: Object.keys };
for (const name of Object.getOwnPropertyNames(Array.prototype)) {
  if (typeof Array.prototype[name] === 'function') Array.prototype[name] = () => 'patched';
}
for (const name of ['keys', 'defineProperty', 'getOwnPropertyDescriptor', 'getPrototypeOf',
  'create', 'entries', 'assign', 'freeze']) Object[name] = () => { throw new Error('patched'); };
for (const name of Object.getOwnPropertyNames(Reflect)) Reflect[name] = undefined;
for (const name of ['has', 'add', 'delete', 'get', 'set']) {
  Set.prototype[name] = Map.prototype[name] = WeakMap.prototype[name] = () => undefined;
}
for (const name of ['slice', 'replace', 'charCodeAt', 'split', 'indexOf', 'codePointAt']) {
  String.prototype[name] = () => 'patched';
}
JSON.stringify = JSON.parse = () => 'patched';
Buffer.byteLength = Buffer.from = Buffer.concat = () => { throw new Error('patched'); };
Promise.prototype.then = Promise.prototype.catch = undefined;
globalThis.postMessage = undefined;
Array.prototype[Symbol.iterator] = undefined;
const seen = { answer: await tools.echo({ a: [1, { b: '€' }] }) };
try { await tools.fail({ message: 'typed', code: 'E' }); } catch (error) {
  seen.error = { typed: error instanceof ToolError, message: error.message, tool: error.tool };
}
console.log('still logs');
return seen;
