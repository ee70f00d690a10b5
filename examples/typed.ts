// TypeScript with tools; the types are erased where the program runs:
//
//   errand run --tools examples/tools examples/typed.ts
interface City {
  name: string;
  people: number;
  latitude: number;
}

enum Size {
  Town = 'town',
  City = 'city',
}

const sizeOf = (city: City): Size => (city.people < 1_000_000 ? Size.Town : Size.City);

const sizes: Record<string, Size> = {};
for (const name of ['Turin', 'Oslo', 'Madrid']) {
  const city = (await tools.city({ name })) as City;
  sizes[city.name] = sizeOf(city);
}

try {
  await tools.city({ name: 'Atlantis' });
} catch (error) {
  if (!(error instanceof ToolError)) throw error;
  console.warn(`${error.tool} says: ${error.message}`);
}
return sizes satisfies Record<string, Size>;
