process.kill(process.pid, 'SIGTERM');
await tools.never();
