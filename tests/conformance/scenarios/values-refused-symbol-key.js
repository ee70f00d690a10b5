return { a: { [Symbol('s')]: 1 } };
