const lengths = [];
for (const n of [65535, 65536, 65537]) lengths.push((await tools.echo('é'.repeat(n))).length);
return lengths;
