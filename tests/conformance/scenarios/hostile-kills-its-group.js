process.kill(0, 'SIGKILL');
await tools.never();
