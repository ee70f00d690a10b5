// None of these reaches home.
const list = [1];
list.extra = 2;
const ring = {};
ring.ring = ring;
const table = { date: new Date(0), list, call: () => 1, nan: NaN, minus: -0, ring,
  sparse: [, 1], big: 1n, promise: Promise.resolve(), nothing: { u: undefined } };
const seen = {};
for (const [name, value] of Object.entries(table)) {
  try { await tools.echo(value); } catch (error) {
    seen[name] = `${error instanceof ToolError} ${error.tool} ${error.code}`;
  }
}
return seen;
