await tools.echo(1);
await new Promise((resolve) => setTimeout(resolve, 60000));
