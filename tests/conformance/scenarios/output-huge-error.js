throw new Error('m'.repeat(1 << 20));
