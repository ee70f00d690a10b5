const tried = (value) => {
  try {
    text(value);
  } catch (error) {
    console.log(`${error.name}: ${error.message}`);
  }
};
const cycle = { deep: {} };
cycle.deep.cycle = cycle;
tried(cycle);
tried({ a: 1n });
tried({
  get a() {
    throw new Error('a getter');
  },
});
tried(Promise.resolve());
tried({ __proto__: null, toJSON: () => undefined });
