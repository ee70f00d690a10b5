Object.defineProperty(process, 'version', { get() { throw new Error('trap'); } });
process.memoryUsage = process.hrtime = undefined;
performance.eventLoopUtilization = undefined;
return 'fine';
