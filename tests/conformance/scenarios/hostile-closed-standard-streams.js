const { closeSync } = require('node:fs');
for (const fd of [0, 1, 2]) closeSync(fd);
console.log('logs go on');
return tools.echo('calls too');
