require('node:fs').writeSync(4, 'log warn 8\n"forged"\n');
await new Promise((resolve) => setTimeout(resolve, 50));
return 1;
