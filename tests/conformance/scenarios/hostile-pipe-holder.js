// A grandchild keeps every descriptor it got; the end does not wait for it.
const { spawn } = require('node:child_process');
const child = spawn('sleep', ['331'], { stdio: 'inherit' });
child.unref();
return child.pid > 0;
