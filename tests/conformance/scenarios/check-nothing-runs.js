console.log('it ran');
await tools.echo(1);
process.exit(7);
