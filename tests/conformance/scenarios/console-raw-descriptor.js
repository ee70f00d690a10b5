const { writeSync } = require('node:fs');
writeSync(1, 'one\n');
writeSync(2, 'two\n');
