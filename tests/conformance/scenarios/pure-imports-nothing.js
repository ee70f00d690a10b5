const told = [];
for (const attempt of [
  () => import('node:fs'),
  () => import('data:text/javascript,export default 1'),
  () => eval('import("node:fs")'),
  () => new Function('return import("node:fs")')(),
  () => (0, eval)('import("node:fs")'),
]) {
  const promise = attempt();
  const error = await promise.catch((e) => e);
  told.push([promise instanceof Promise, error instanceof TypeError]);
  console.log(error.message);
}
return told;
