let deep = {};
for (let i = 1; i < 9999; i++) deep = { a: deep };
return deep;
