process.on('uncaughtException', (error) => console.log('caught', error.message));
setTimeout(() => { throw new Error('in a timer'); }, 10);
await new Promise((resolve) => setTimeout(resolve, 100));
return 'went on';
