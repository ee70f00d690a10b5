// Looking at tools, in any way, neither calls home nor throws.
console.log(tools);
console.log(`${tools} ${String(tools.github)}`, JSON.stringify({ tools }));
let clone;
try { structuredClone(tools); } catch (error) { clone = error.name; }
let assigned;
try { tools.echo = null; } catch (error) { assigned = error.name; }
const seen = { ...tools };
const names = [];
for (const name in tools) names.push(name);
return {
  clone, assigned, spread: Object.keys(seen), names, awaited: (await tools) === tools,
  resolved: (await Promise.resolve(tools)) === tools, entries: Object.entries(tools).length,
  called: await seen.echo('by the copy'),
};
