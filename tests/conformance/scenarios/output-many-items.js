for (let i = 0; i < 1000; i++) text(i);
file('big', 'x'.repeat(3 << 20));
