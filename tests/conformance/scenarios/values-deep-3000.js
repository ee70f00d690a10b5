let deep = [];
for (let i = 1; i < 3000; i++) deep = [deep];
const back = await tools.echo(deep);
let levels = 0;
for (let at = back; at !== undefined; at = at[0]) levels++;
return { levels, back };
