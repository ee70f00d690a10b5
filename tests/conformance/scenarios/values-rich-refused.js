class Point {}
class Bag extends Map {}
const cycle = new Map();
cycle.set('self', [cycle]);
for (const value of [
  { f() {} }, [Symbol('s')], { p: new Point() }, { p: new Bag() }, cycle, [1, , 2], Object(1),
  new Map([['k', { late: Promise.resolve(1) }]]), new Set([1, () => 1]), new WeakMap(),
  new Error('x', { cause: Symbol('y') }), { get a() { throw new Error('no'); } },
  new SharedArrayBuffer(1),
]) {
  try {
    await tools.echo(value);
    console.log('went');
  } catch (error) {
    console.log(error.message);
  }
}
