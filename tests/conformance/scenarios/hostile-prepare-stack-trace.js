Error.prepareStackTrace = () => { throw new Error('no stack for you'); };
Error.stackTraceLimit = 0;
throw new TypeError('real message');
