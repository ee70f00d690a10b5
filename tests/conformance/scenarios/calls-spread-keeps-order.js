const some = await Promise.all([...'abc'].map((letter) => tools.echo(letter)));
return [...some, await tools.echo('d')];
