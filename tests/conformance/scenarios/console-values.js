class Point { x = 1; }
console.log(undefined, null, true, 1n, -0, NaN, Symbol('s'));
console.log([1, 'two', [3]], { a: 'b' }, new Map([[1, { a: 2 }]]), new Set(['x']));
console.log(new Point(), () => 1, class Foo {}, /re/g, new Date(0));
console.log(new Uint8Array([1, 2]), Promise.resolve(1), Object.create(null), [undefined, , 1]);
