require('node:fs').writeSync(4, 'done ok 4\nnope\n');
await new Promise((resolve) => setTimeout(resolve, 5000));
