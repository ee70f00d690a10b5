const own = JSON.parse('{"$errand":"bytes","__proto__":{"$errand":1},"b":[{"$errand":[]}]}');
const got = await tools.echo(own);
return [JSON.stringify(got) === JSON.stringify(own), own];
