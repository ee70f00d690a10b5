process.removeAllListeners();
setTimeout(function late() {
  throw new TypeError('too late');
}, 1);
await tools.never();
