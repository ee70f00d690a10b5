Promise.reject(new Error('loose'));
await tools.slow({ ms: 20000 });
