const { spawn } = require('node:child_process');
const stray = spawn('sleep', ['1002'], { detached: true, stdio: 'ignore' });
await new Promise((go) => stray.on('spawn', go));
console.log('ready');
await new Promise((go) => setTimeout(go, 60000));
