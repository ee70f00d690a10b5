console.log('it ran');
await tools.echo(1);
const b = ;
