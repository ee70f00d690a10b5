(<T>(x: T) => 42) satisfies Function;
