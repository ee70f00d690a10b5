await Promise.all([tools.echo(1), new Promise(() => {})]);
