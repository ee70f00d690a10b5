globalThis.Function('return process')().exit(7);
return tools.echo(1 as number);
