// Neither program nor environment stand in a command line.
const { readFileSync } = require('node:fs');
const words = readFileSync('/proc/self/cmdline', 'utf8');
return [words.includes('s3cret'), words.includes('Neither'), process.env.KEY];
