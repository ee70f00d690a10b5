// Both forms of the callback come back, later.
const order = [];
await new Promise((resolve) => {
  process.stdout.write('a', () => { order.push('first'); });
  process.stdout.write('b', 'utf8', () => { order.push('second'); resolve(); });
  order.push('now');
});
return order;
