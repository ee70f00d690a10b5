return new Map([[1, { list: [Promise.resolve(2)] }]]);
