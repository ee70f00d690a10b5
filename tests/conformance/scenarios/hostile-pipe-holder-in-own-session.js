const { spawn } = require('node:child_process');
const child = spawn('sleep', ['332'], { stdio: 'inherit', detached: true });
child.unref();
return child.pid > 0;
