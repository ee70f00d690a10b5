const names = ['Array', 'Object', 'Promise', 'JSON', 'Map', 'Set', 'Error', 'String', 'Number',
  'Reflect', 'Symbol', 'Proxy', 'Buffer', 'Atomics', 'SharedArrayBuffer', 'Uint8Array',
  'TextEncoder', 'process', 'setTimeout', 'queueMicrotask', 'MessageChannel', 'ToolError'];
const define = Object.defineProperty;
for (const name of names) define(globalThis, name, { value: undefined, configurable: true });
const answer = await tools.add({ a: 1, b: 2 });
let typed;
try { await tools.nope(); } catch (error) { typed = error.message; }
return { answer, typed, list: [1, [2]] };
