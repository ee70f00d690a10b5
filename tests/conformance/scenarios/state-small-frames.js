const said = [];
for (const length of [440, 450])
  try {
    store('k', '\u0001'.repeat(0) + 'ü'.repeat(length));
    said.push('taken');
  } catch (error) {
    said.push(`${error.name}: ${error.message}`);
  }
return said;
