import { join } from 'node:path';

function helper(a) {
  return join('x', a);
}

export default async function () {
  return helper('y') + after;
}

let after = '';
after += '!';
