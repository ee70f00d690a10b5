let deep = [];
for (let i = 1; i < 10000; i++) deep = [deep];
const back = await tools.echo(deep);
return back;
