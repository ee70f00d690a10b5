const all = await Promise.all([3, 1, 2].map((n) => tools.slow({ ms: n * 60, value: n })));
return all;
