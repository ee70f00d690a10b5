// Listeners on process do not get between the runner and its end.
process.on('exit', () => { for (;;); });
process.on('uncaughtException', () => {});
process.on('beforeExit', () => { setTimeout(() => {}, 100000); });
process.emit = () => true;
return 'done';
