return [Symbol('s')];
