const wide = {};
for (let i = 0; i < 50000; i++) wide['key' + i] = i;
const back = await tools.echo(wide);
return Object.keys(back).length;
