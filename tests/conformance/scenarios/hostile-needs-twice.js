require('node:fs').writeSync(4, 'need amaro\nneed amaro\n');
await new Promise((resolve) => setTimeout(resolve, 5000));
