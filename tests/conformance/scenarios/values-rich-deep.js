let map = 'end';
for (let i = 0; i < 3330; i++) map = new Map([[i, map]]);
let back = await tools.echo(map);
for (let i = 3329; i >= 0; i--) back = back.get(i);
let list = new Date(0);
for (let i = 0; i < 9999; i++) list = [list];
const again = await tools.echo(list);
let levels = 0;
for (let at = again; Array.isArray(at); at = at[0]) levels++;
try {
  await tools.echo([list]);
} catch (error) {
  return [back, levels, error.message.slice(-30)];
}
