require('node:fs').writeSync(4, Buffer.from([0, 255, 10, 13, 7, 10]));
await new Promise((resolve) => setTimeout(resolve, 5000));
