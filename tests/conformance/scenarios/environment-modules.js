const fs = require('fs');
const path = await import('node:path');
const { default: os } = await import('os');
return [typeof fs.readFileSync, path.join('a', 'b'), typeof os.cpus, typeof process.versions.node];
