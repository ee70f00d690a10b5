text('before');
const call = tools.add({ a: 1, b: 2 });
text('between');
await call;
text('after');
