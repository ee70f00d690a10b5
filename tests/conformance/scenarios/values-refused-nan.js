return { a: NaN };
