const { spawn } = require('node:child_process');
spawn('yes', ['339'], { stdio: ['ignore', 'inherit', 'inherit'] });
const until = Date.now() + 300;
while (Date.now() < until);
return 'survived';
