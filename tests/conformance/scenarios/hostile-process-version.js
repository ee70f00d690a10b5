Object.defineProperty(process, 'version', { get() { throw new Error('trap'); } });
process.memoryUsage = process.hrtime = undefined;
Object.defineProperty(performance, 'eventLoopUtilization', { value: undefined });
return 'fine';
