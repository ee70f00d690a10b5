require('node:fs').writeSync(4, 'done ok 2\n42\ndone ok 1\n7\ncall 9 0 0 0\n\ngarbage');
await new Promise((resolve) => setTimeout(resolve, 5000));
