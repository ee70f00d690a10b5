tools.echo({ a: 1 });
