console.log(1n, { deep: [2n] });
let refused;
try { await tools.echo({ a: [1n] }); } catch (error) { refused = error.message; }
return { refused };
