return Promise.resolve([1, 2]);
