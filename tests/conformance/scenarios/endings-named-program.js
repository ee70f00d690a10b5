throw new Error('in a file');
