// Four levels deep, a hundred entries, ten thousand characters.
console.log({ a: { b: { c: { d: { e: { f: 1 } } } } } });
console.log(Array(101).fill(0));
console.log(['x'.repeat(10001)]);
