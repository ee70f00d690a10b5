console.log('ready');
for (;;);
