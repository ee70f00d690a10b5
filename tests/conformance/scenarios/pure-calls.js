const echoed = await tools.echo({ a: [1, { b: null }] });
let error;
try {
  await tools.fail({ message: 'no such city' });
} catch (e) {
  error = e;
}
const pending = tools.echo(1);
const all = await Promise.all([tools.echo(1), tools.echo(undefined), pending]);
return [
  echoed instanceof Object, Array.isArray(echoed.a), echoed.a instanceof Array,
  Object.getPrototypeOf(echoed.a[1]) === Object.prototype, pending instanceof Promise,
  error instanceof ToolError, error instanceof Error, error.name, error.message, error.tool,
  error.constructor.constructor === Function, tools.echo.constructor === Function,
  all[0], all[1] === undefined, all[2],
];
