return { a: new Set([() => 1]) };
