process.stdout.write('');
process.stdout.isTTY;
for (const fd of [1, 2]) new (require('node:net').Socket)({ fd, readable: false, writable: true });
const back = await tools.echo('x'.repeat(1 << 20));
console.log(back);
return back.length;
