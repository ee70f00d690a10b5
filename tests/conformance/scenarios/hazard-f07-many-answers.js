// A late answer finds a race that is over, and wakes nobody else.
const slow = tools.slow({ ms: 150, value: 'late' });
const first = await Promise.race([slow, tools.echo('first')]);
const second = await tools.echo('second');
await slow;
return [first, second];
