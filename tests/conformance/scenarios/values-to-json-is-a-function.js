return { a: 1, toJSON() { return 'other'; } };
