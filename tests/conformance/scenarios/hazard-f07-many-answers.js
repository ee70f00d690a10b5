// Late answers find nobody, and wake nobody else.
const first = await Promise.race([tools.slow({ ms: 150, value: 'late' }), tools.echo('first')]);
const second = await tools.echo('second');
await new Promise((resolve) => setTimeout(resolve, 300));
return [first, second];
