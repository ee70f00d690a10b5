const { spawn } = require('node:child_process');
spawn('sh', ['-c', 'sleep 335 & wait'], { stdio: 'inherit' });
await new Promise(() => {});
