const sizes = [];
for (const n of [65533, 65536, 4194304]) sizes.push((await tools.echo('x'.repeat(n))).length);
return sizes;
