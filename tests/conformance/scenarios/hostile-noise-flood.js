// Two mebibytes past console: the tail is kept, the rest counted, nothing blocks.
const { execSync } = require('node:child_process');
execSync('head -c 2097152 /dev/zero | tr "\\0" "n"; echo tail', { stdio: 'inherit' });
return 'done';
