throw new Proxy({}, { get() { throw new Error('trap'); }, getPrototypeOf() { throw 1; } });
