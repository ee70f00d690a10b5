process.kill(process.pid, 'SIGKILL');
await tools.never();
