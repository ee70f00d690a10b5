// Older engines abort when a descriptor below 3 comes back as one of their own.
require('node:fs').closeSync(0);
await new Promise((resolve) => setTimeout(resolve, 5000));
