// TypeScript to JavaScript. For now: as it is.

import { compile } from './program.js';

export async function prepare(boot) {
  return { main: compile(boot.program, boot.name), place: (line, column) => ({ line, column }) };
}
