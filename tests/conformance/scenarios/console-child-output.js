// What children print is noise: kept apart from the logs.
const { spawnSync } = require('node:child_process');
console.log('a');
spawnSync('echo', ['from a child'], { stdio: 'inherit' });
console.log('b');
