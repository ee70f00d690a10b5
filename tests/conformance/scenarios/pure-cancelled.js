signal.addEventListener('abort', (event) =>
  console.log(event.type, signal.aborted, signal.reason.name));
console.log(signal.aborted, signal.reason);
await tools.never();
