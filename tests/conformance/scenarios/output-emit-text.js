for (const value of [undefined, null, 'as it is', '', 1, true, 10n, [1, 'a'], { a: { b: null } }])
  emit(value);
const cycle = {};
cycle.cycle = cycle;
emit(cycle);
emit(() => 1);
emit({
  get a() {
    throw new Error('a getter');
  },
});
emit(Object.create(null, { toJSON: { value: () => undefined } }));
