return { p: new Proxy({}, { ownKeys() { throw new Error('trap'); } }) };
