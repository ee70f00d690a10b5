const { spawn } = require('node:child_process');
spawn('sleep', ['1001'], { detached: true, stdio: 'ignore' });
for (;;);
