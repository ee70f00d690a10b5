setTimeout(() => process.exit(3), 20);
await tools.never();
