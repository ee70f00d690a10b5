const paths = ({ items }) => items.map((item) => item.path);
const first = await tools.search({ query: 'create issue', limit: 2 });
const seen = {
  first, camel: paths(await tools.search({ query: 'stock price' })),
  whole: paths(await tools.search({ namespace: 'github' })),
  page: await tools.search({ namespace: 'github', limit: 1, offset: 1 }),
  none: await tools.search({ query: 'nothing of that kind' }),
  empty: (await tools.search({})).total,
  wrong: await tools.search('issues').catch((e) => [e instanceof ToolError, e.code, e.message]),
};
for (const name in seen) console.log(name, JSON.stringify(seen[name]));
