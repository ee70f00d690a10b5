require('node:fs').writeSync(4, 'done error 53\n' +
  '{"kind":"exception","message":"its own","value":[1,2]}\n');
await new Promise((resolve) => setTimeout(resolve, 5000));
