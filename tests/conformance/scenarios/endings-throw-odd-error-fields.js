const error = new Error('x');
error.name = { toString() { return 'Odd'; } };
error.message = 17;
error.stack = ['no', 'text'];
throw error;
