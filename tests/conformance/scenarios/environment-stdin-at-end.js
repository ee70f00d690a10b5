const { readFileSync } = require('node:fs');
let text = '';
for await (const chunk of process.stdin) text += chunk;
return [readFileSync(0, 'utf8'), text];
