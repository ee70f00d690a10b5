let last = 0;
for (let i = 0; i < 50; i++) last = await tools.count();
return last;
