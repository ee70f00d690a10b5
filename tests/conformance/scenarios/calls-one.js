const sum = await tools.add({ a: 19, b: 23 });
return { sum };
