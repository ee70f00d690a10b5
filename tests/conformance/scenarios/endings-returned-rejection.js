return Promise.reject(new SyntaxError('handed back'));
