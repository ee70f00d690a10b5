const { spawnSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const command = 'setsid sleep 335 >/dev/null 2>&1 </dev/null & echo $!';
const pid = Number(spawnSync('sh', ['-c', command], { encoding: 'utf8' }).stdout);
const stat = () => readFileSync(`/proc/${pid}/stat`, 'latin1');
for (let i = 0; i < 500 && !stat().includes('(sleep)'); i++) {
  await new Promise((go) => setTimeout(go, 10));
}
process.kill(process.pid, 'SIGKILL');
await new Promise(() => {});
