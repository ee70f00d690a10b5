signal.addEventListener('abort', () => console.log('told', signal.aborted));
console.log('ready', signal instanceof AbortSignal, signal.aborted);
await tools.never();
