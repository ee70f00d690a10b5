require('node:fs').writeSync(4, 'hello 00112233445566778899aabbccddeeff 2\n{}\n');
await new Promise((resolve) => setTimeout(resolve, 5000));
