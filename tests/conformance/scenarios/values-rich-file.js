const file = new File(['x'], 'a"b é.txt', { type: 'a/b', lastModified: 1234 });
const got = await tools.echo(file);
return [file, got.name, got.lastModified, got.type, await got.text()];
