const { execFileSync } = require('node:child_process');
const text = execFileSync('/usr/bin/env', { encoding: 'utf8' });
return text.includes('ERRAND_CONFORMANCE_SECRET') || text.includes('NODE_OPTIONS');
