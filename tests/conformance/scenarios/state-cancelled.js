store('a', 1);
text('shown');
const timer = setTimeout(() => {}, 60000);
console.log('stop me');
await new Promise((go) => signal.addEventListener('abort', go));
clearTimeout(timer);
return 1;
