#!/usr/bin/env node
// A tool reads its argument as JSON, prints its answer as JSON, and fails by its exit code.
import { readFileSync } from 'node:fs';

const cities = {
  Madrid: { people: 3_305_000, latitude: 40.4 },
  Oslo: { people: 717_000, latitude: 59.9 },
  Turin: { people: 848_000, latitude: 45.1 },
};

const { name } = JSON.parse(readFileSync(0, 'utf8'));
if (!Object.hasOwn(cities, name)) {
  console.error(`no city is called ${name}`);
  process.exit(1);
}
console.log(JSON.stringify({ name, ...cities[name] }));
