const { execSync } = require('node:child_process');
return execSync('cat; echo end', { encoding: 'utf8', stdio: ['inherit', 'pipe', 'inherit'] });
