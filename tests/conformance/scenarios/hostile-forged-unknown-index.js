require('node:fs').writeSync(4, 'call 1 0 99 1\n1\n');
await new Promise((resolve) => setTimeout(resolve, 5000));
