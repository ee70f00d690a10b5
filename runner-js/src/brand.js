// Who bears the brand of a run: a soft limit on file locks, which kernels ignore and every process
// inherits, whatever becomes of those that started it. Roads that lead to another system have a
// shell take it on (src/transport/brand.h); where none did, nobody is found.

import { readFileSync, readdirSync } from 'node:fs';

const DIGITS = 12;

const limitsOf = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/limits`, 'latin1');
  } catch {
    return '';
  }
};

// How it stands there, or null where this process has none.
export function brandOf(mark) {
  const number = 2 ** (4 * DIGITS) + parseInt(mark.slice(0, DIGITS), 16);
  const line = new RegExp(`^Max file locks +${number} `, 'm');
  return line.test(limitsOf('self')) ? line : null;
}

// The numbers of all who bear it.
export function bearersOf(brand) {
  try {
    const names = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name));
    return names.filter((name) => brand.test(limitsOf(name))).map(Number);
  } catch {
    return [];
  }
}
