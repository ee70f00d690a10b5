const got = await tools.echo(new Float16Array([1.5, -2]));
return [got instanceof Float16Array, got[0], got];
