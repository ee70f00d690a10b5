enum Kind { One = 1 }
const one: Kind = Kind.One;
return tools.echo(one satisfies number);
