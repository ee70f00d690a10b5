require('node:child_process').execSync('sleep 30');
