console.log('ready');
await tools.never();
