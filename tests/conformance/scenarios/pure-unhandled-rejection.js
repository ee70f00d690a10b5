Promise.reject(new RangeError('nobody caught me'));
await tools.never();
