// An asset that home does not have is answered with null; the runner asked for none.
require('node:fs').writeSync(4, 'need nothing\n');
await new Promise((resolve) => setTimeout(resolve, 100));
return 'ignored';
