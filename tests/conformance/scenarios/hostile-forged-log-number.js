require('node:fs').writeSync(4, 'log log 2\n42\n');
await new Promise((resolve) => setTimeout(resolve, 5000));
