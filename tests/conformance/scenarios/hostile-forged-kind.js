// Kinds that only home or the runner can know are not the program's to say.
require('node:fs').writeSync(4, 'done error 18\n{"kind":"abandon"}\n');
await new Promise((resolve) => setTimeout(resolve, 5000));
