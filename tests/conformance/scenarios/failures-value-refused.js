// What never reaches home is a value too.
const seen = {
  argument: await tools.echo({ at: new Date(0) }), large: await tools.echo('x'.repeat(3000)),
  reply: await tools.big({ n: 3000 }), many: await tools.echo(4),
};
for (const name in seen) console.log(name, JSON.stringify(seen[name]));
