return { b: 1, a: 2, 10: 3, 9: 4 };
