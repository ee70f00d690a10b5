// Ten megabytes to stderr, ten of logs, then a value.
require('node:fs').writeSync(2, Buffer.alloc(1000));
for (let i = 0; i < 100; i++) {
  require('node:child_process').execSync('head -c 100000 /dev/zero >&2', { stdio: 'inherit' });
}
for (let i = 0; i < 100; i++) console.log('y'.repeat(100000));
return 1;
