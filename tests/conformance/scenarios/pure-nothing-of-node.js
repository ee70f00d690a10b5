const names = [
  'process', 'require', 'module', 'exports', '__filename', 'Buffer', 'setTimeout', 'setInterval',
  'setImmediate', 'queueMicrotask', 'fetch', 'WebAssembly', 'performance', 'structuredClone',
  'AbortController', 'URL', 'TextEncoder', 'Blob', 'crypto', 'navigator', 'WebSocket', 'Worker',
  'MessageChannel', 'global', 'gc', 'atob', 'Event',
];
const there = ['Map', 'Promise', 'Intl', 'Math', 'console', 'tools', 'signal', 'ToolError', 'eval'];
const has = (name) => name in globalThis || eval(`typeof ${name}`) !== 'undefined';
return [names.filter(has), there.filter((name) => !has(name)), typeof this];
