const call = tools.never();
setTimeout(() => {
  text('from a timer');
  exit('ignored');
}, 1);
await call;
