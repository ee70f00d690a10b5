// None of these reaches home: using a tool wrongly is a TypeError, and no failure of the tool.
const list = [1];
list.extra = 2;
const ring = {};
ring.ring = ring;
const table = { date: new Date(0), list, call: () => 1, nan: NaN, minus: -0, ring,
  sparse: [, 1], big: 1n, promise: Promise.resolve(), nothing: { u: undefined } };
const reached = [], other = [];
for (const [name, value] of Object.entries(table)) {
  try { reached.push(name, await tools.echo(value)); } catch (error) {
    if (error.name !== 'TypeError' || !error.message.includes('$')) other.push(name);
  }
}
return { reached, other };
