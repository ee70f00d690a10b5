console.log('x'.repeat(1 << 20));
process.exit(0);
