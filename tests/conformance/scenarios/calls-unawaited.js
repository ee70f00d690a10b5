tools.never({ forgotten: true });
tools.echo(1);
await new Promise((resolve) => setTimeout(resolve, 200));
return 'done';
