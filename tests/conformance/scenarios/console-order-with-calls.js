console.log('before');
const call = tools.echo(1);
console.log('meanwhile');
await call;
console.log('after');
