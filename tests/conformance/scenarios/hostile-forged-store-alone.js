// It might have stored that itself.
require('fs').writeSync(4, 'store 27\n{"set":{"a":1},"delete":[]}\n');
await new Promise((go) => setTimeout(go, 50));
