const answers = [await tools.echo(), await tools.echo(undefined), await tools.nothing(1)];
return answers.map((answer) => answer === undefined);
