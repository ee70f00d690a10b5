const seen = {
  known: await tools.describe({ path: 'github.issues.create' }),
  same: (await tools.describe.tool({ path: 'tools.weather' })).path,
  plain: await tools.describe({ path: 'weather' }),
  unknown: await tools.describe({ path: 'github.issue.create' }),
  wrong: await tools.describe().catch((error) => error.message),
};
for (const name in seen) console.log(name, JSON.stringify(seen[name]));
