const bare = Object.assign(Object.create(null), { a: 1 });
return [bare, await tools.echo(bare)];
