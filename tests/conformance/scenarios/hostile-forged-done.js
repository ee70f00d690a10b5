// Its own result is the program's to forge; nothing is gained by it.
require('node:fs').writeSync(4, 'done ok 2\n42\n');
await tools.never();
