const { spawn } = require('node:child_process');
spawn('sh', ['-c', 'yes 337 >&2'], { stdio: 'inherit' });
await new Promise((resolve) => setTimeout(resolve, 300));
return 'done';
