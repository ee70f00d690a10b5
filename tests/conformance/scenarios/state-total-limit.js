const said = [];
const tried = (key, value) => {
  try {
    store(key, value);
    said.push('taken');
  } catch (error) {
    said.push(`${error.name}: ${error.message}`);
  }
};
// 4 × (1 + 262,143) are all there is.
for (const key of 'abcd') tried(key, 'x'.repeat(262141));
tried('e', 1);
tried('d', 'x'.repeat(262142));
tried('d', 'shorter');
tried('e', 1);
tried('a', undefined);
tried('f', 'x'.repeat(262000));
return said;
