await tools.echo(1);
await new Promise(() => {});
