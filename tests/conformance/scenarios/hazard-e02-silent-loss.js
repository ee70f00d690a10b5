// What JSON.stringify would drop or bend without a word.
const rows = { nan: { a: NaN }, minus: { c: -0 }, undef: { a: undefined }, hole: [undefined],
  map: new Map(), error: new Error('e'), promise: Promise.resolve(), date: new Date(NaN),
  bytes: new Uint8Array(1), buffer: Buffer.alloc(1), call: () => 1, symbol: Symbol('s') };
const passed = [];
for (const [name, value] of Object.entries(rows)) {
  await tools.echo(value).then(() => passed.push(name), () => {});
}
return passed;
