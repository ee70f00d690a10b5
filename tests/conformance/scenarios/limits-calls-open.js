const calls = [1, 2, 3].map((n) => tools.slow({ ms: 100, value: n }));
const settled = await Promise.allSettled(calls);
return settled.map((one) => one.value ?? one.reason.code);
