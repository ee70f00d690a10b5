const text = '['.repeat(10001) + ']'.repeat(10001);
require('node:fs').writeSync(4, `done ok ${text.length}\n${text}\n`);
await new Promise((resolve) => setTimeout(resolve, 5000));
