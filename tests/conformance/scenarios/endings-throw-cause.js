throw new Error('outer', { cause: new Error('inner') });
