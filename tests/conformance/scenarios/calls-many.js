const values = await Promise.all(Array.from({ length: 1000 }, (_, i) => tools.echo(i)));
return values.reduce((a, b) => a + b);
