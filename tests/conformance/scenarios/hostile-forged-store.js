require('fs').writeSync(4, 'store 22\n{"set":{},"delete":[]}\n');
await new Promise((go) => setTimeout(go, 50));
store('a', 1);
