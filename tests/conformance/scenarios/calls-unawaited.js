tools.never({ forgotten: true });
tools.echo(1);
return 'done';
