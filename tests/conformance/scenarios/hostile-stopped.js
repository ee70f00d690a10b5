// A runner that is stopped answers nobody; the ladder gets it all the same.
process.kill(process.pid, 'SIGSTOP');
await tools.never();
