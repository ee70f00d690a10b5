// A tool that is not there is a value too, at any depth; nothing goes home.
const { ok, error } = await tools.wether({ city: 'Turin' });
const seen = {
  ok, error, deep: (await tools.github.isues.create()).error.message,
  in: 'wether' in tools, then: tools.wether.then === undefined, typed: typeof tools.wether,
};
for (const name in seen) console.log(name, JSON.stringify(seen[name]));
