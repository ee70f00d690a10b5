setTimeout(() => {
  Promise.reject(new RangeError('nobody handles it'));
}, 1);
await tools.never();
