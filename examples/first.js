// The body of an async function. It runs over there; city and forecast run at home:
//
//   errand run --tools examples/tools examples/first.js
const names = ['Turin', 'Oslo'];

const cities = await Promise.all(names.map((name) => tools.city({ name })));
const report = {};
for (const city of cities) {
  const { degrees } = await tools.forecast({ latitude: city.latitude });
  console.log(`${city.name}: ${degrees} degrees`);
  report[city.name] = { people: city.people, degrees };
}
return report;
