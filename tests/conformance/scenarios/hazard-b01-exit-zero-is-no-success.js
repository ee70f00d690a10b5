console.log('looks fine');
await new Promise((resolve) => setTimeout(resolve, 100));
require('node:child_process').execSync(`kill -KILL ${process.pid}`);
