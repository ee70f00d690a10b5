Error.prototype.name = 'Renamed';
Object.defineProperty(Error.prototype, 'message', { get() { throw new Error('trap'); } });
throw new Error();
