const { EventEmitter } = require('node:events');
const bus = new EventEmitter();
const got = new Promise((resolve) => {
  bus.on('go', async (n) => resolve(await tools.add({ a: n, b: 1 })));
});
bus.emit('go', 41);
return got;
