return [signal.aborted, typeof signal.throwIfAborted];
