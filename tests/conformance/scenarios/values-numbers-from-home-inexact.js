// What no double holds is refused at home, by its path; the tool's host says so to the program.
const told = {};
for (const name of ['big', 'inside', 'exponent', 'fraction', 'most', 'text']) {
  try {
    told[name] = await home[name]();
  } catch (error) {
    told[name] = `${error.code}: ${error.message}`;
  }
}
return told;
