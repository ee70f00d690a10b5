const kept = [];
for (;;) kept.push(Array.from({ length: 1000 }, (_, i) => ({ i })));
