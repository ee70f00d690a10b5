require('node:child_process').spawn('sleep', ['300'], { stdio: 'ignore' });
for (;;);
