// Whoever reads it by key would get one of the two.
require('fs').writeSync(4, 'store 38\n{"set":{"a":1,"\\u0061":2},"delete":[]}\n');
await new Promise((go) => setTimeout(go, 50));
