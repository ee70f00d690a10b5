let levels = 0;
for (let at = await tools.deep({ n: 10000 }); at !== undefined; at = at[0]) levels++;
return levels;
