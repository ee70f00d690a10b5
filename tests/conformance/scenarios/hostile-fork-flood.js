const { spawn } = require('node:child_process');
for (let i = 0; i < 40; i++) spawn('sleep', ['336'], { stdio: 'ignore' });
return 'many';
