// No size is believed before it was checked: nothing of it is stored.
require('node:fs').writeSync(4, 'log log 4294967296\n"');
await new Promise((resolve) => setTimeout(resolve, 5000));
