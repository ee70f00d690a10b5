// A frame that never ends: what the runner says next is taken as its payload.
require('node:fs').writeSync(4, 'log log 1000\n"torn');
process.exit(0);
