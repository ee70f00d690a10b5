require('node:fs').writeSync(4, 'log '.repeat(100));
await new Promise((resolve) => setTimeout(resolve, 5000));
