}); tools.echo(1); (async () => {
