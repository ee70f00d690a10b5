const same = await tools;
return [same === tools, JSON.stringify(Object.keys(await Promise.resolve(tools)).length > 5)];
