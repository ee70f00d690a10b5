const { spawnSync } = require('node:child_process');
spawnSync('sh', ['-c', 'setsid sleep 333 >/dev/null 2>&1 </dev/null & exit 0']);
return 'left one';
