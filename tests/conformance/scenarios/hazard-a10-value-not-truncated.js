setTimeout(() => process.exit(0), 0);
return 'x'.repeat(1 << 20);
