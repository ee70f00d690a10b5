// The same without node.
let missing;
try { tools.weathr; } catch (error) { missing = [error instanceof TypeError, error.message]; }
console.log(tools, `${tools}`);
const seen = {
  missing, all: ALL_TOOLS, path: await tools.github.issues.list(1), bare: await print(1, 2),
  found: (await tools.search({ query: 'weather' })).items, own: Object.getPrototypeOf(ALL_TOOLS) === Array.prototype,
  escape: typeof tools.weather.constructor('return typeof process')(),
  outside: tools.weather.constructor('return typeof process')(),
};
for (const name in seen) console.log(name, JSON.stringify(seen[name]));
