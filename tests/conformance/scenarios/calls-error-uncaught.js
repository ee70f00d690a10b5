await tools.echo(1);
await tools.fail({ message: 'not today', code: 'E_BUSY' });
return 1;
