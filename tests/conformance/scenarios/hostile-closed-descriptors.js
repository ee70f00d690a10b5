const { closeSync } = require('node:fs');
for (const fd of [3, 4]) { try { closeSync(fd); } catch { } }
await new Promise((resolve) => setTimeout(resolve, 100));
return tools.echo('after');
