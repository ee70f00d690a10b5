store('date', new Date(0));
store('loose', { a: undefined, b: [undefined, NaN], c: () => 1 });
const said = [];
for (const value of [() => 1, 1n, { toJSON: () => undefined }])
  try {
    store('k', value);
  } catch (error) {
    said.push(`${error.name}: ${error.message}`);
  }
return [load('date'), load('loose'), said];
