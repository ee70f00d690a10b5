import { join } from 'node:path';
import type { Stats } from 'node:fs';

export default async function main(): Promise<string> {
  return join('a', 'b');
}
