store('fits', 'x'.repeat(262142));
store('wide', 'ü'.repeat(262142));
for (const [key, value] of [
  ['img', 'x'.repeat(307200)],
  ['one', 'x'.repeat(262143)],
  ['k'.repeat(100), 'x'.repeat(262143)],
])
  try {
    store(key, value);
  } catch (error) {
    console.log(`${error.name}: ${error.message}`);
  }
return [load('fits').length, load('img') === undefined];
