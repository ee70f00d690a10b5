for (;;) console.log('x'.repeat(1e6));
