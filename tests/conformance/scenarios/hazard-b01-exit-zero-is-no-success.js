console.log('looks fine');
require('node:child_process').execSync(`kill -KILL ${process.pid}`);
