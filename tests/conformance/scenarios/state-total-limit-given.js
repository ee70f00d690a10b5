const said = [];
const tried = (key, value) => {
  try {
    store(key, value);
    said.push('taken');
  } catch (error) {
    said.push(`${error.name}: ${error.message}`);
  }
};
// old and its value are 25 of 1,048,576.
for (const key of 'abc') tried(key, 'x'.repeat(262141));
tried('d', 'x'.repeat(262117));
tried('d', 'x'.repeat(262116));
tried('e', 1);
tried('old', undefined);
tried('e', 1);
return said;
