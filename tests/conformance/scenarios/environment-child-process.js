const { spawn } = require('node:child_process');
const child = spawn(process.execPath, ['-e', 'console.log(6 * 7)']);
let text = '';
for await (const chunk of child.stdout) text += chunk;
return Number(text);
