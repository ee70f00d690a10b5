// Four levels deep, a hundred entries, ten thousand characters.
console.log({ a: { b: { c: { d: { e: { f: 1 } } } } } });
const text = require('node:util').inspect(Array(101).fill(0), { depth: 4, maxArrayLength: 100 });
console.log(Array(101).fill(0));
console.log(['x'.repeat(10001)]);
return text.length;
