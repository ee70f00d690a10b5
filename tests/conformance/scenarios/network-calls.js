const { pid } = process;
const child = require('node:child_process').spawnSync('sh', ['-c', 'echo $PPID']);
return [await tools.echo({ a: 1 }), `${child.stdout}`.trim() === `${pid}`];
