// What is not there says what is, with a place of the program's own.
const told = [];
for (const name of ['getWeather', 'wether', 'zzz', 'stock!'])
  try { tools[name]; } catch (error) { told.push(`${error.name}: ${error.message}`); }
try { tools.github.issues.creat; } catch (error) { told.push(error.message); }
const asked = ['then', 'toJSON', 'toString', 'valueOf', Symbol.iterator, Symbol.toStringTag];
console.log(asked.map((name) => tools[name] === undefined), 'zzz' in tools, 'stock' in tools);
for (const line of told) console.log(line);
  await tools.weatherr({});
