// A call that it could have made anyway. The id is higher than any of the runner's.
require('node:fs').writeSync(4, 'call 900 0 0 6\n"mine"\n');
await new Promise((resolve) => setTimeout(resolve, 100));
return 1;
