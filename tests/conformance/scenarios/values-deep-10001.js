// One level more than a payload may have.
let deep = [];
for (let i = 1; i < 10001; i++) deep = [deep];
let refused;
try { await tools.echo(deep); } catch (error) { refused = error.message; }
console.log(refused);
return deep;
