const { spawn } = require('node:child_process');
const { readFileSync } = require('node:fs');
const stray = spawn('setsid', ['sleep', '1000'], { stdio: 'ignore' });
const stat = () => readFileSync(`/proc/${stray.pid}/stat`, 'latin1');
// Until it is what it is to be: one that has not left yet would not be named.
for (let i = 0; i < 500 && !stat().includes('(sleep)'); i++) {
  await new Promise((go) => setTimeout(go, 10));
}
return stat().includes('(sleep)');
