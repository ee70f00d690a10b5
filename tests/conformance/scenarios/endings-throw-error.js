const before = 1;
throw new Error('boom');
