const tried = (job) => {
  try {
    job();
    console.log('taken');
  } catch (error) {
    console.log(`${error.name}: ${error.message}`);
  }
};
for (const key of [1, undefined, null, {}, Symbol('s')]) {
  tried(() => store(key, 1));
  tried(() => load(key));
}
const cycle = { deep: {} };
cycle.deep.cycle = cycle;
for (const value of [() => 1, Symbol('s'), 1n, NaN, -0, new Date(0), [undefined], { a: { b: 1n } }])
  tried(() => store('k', value));
tried(() => store('k', cycle));
tried(() => store('k', Promise.resolve()));
tried(() =>
  store('k', {
    get a() {
      throw new Error('a getter');
    },
  }),
);
return load('k') === undefined;
