require('node:fs').writeSync(4, 'need nothing\n');
await new Promise((resolve) => setTimeout(resolve, 5000));
