let reads = 0;
const value = { get n() { return ++reads; } };
return [await tools.echo(value), reads];
