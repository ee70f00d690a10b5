return { a: 1n };
