// Which of several names may have been meant by one that is none of them.
//
// Uses saved intrinsics alone: it is asked when the program has gone wrong.

import { engine, list } from './intrinsics.js';

const { slice, lowerCase, indexOf, min, exec, stringify, RegExp } = engine;

const NEAR_MAX = 5;
// More names than that are not listed.
export const LISTED_MAX = 20;
const WORD_MAX = 64;
const FAR = 3;
const IDENTIFIER = new RegExp('^[A-Za-z_$][A-Za-z0-9_$]*$');

// Letters and digits alone, in lower case.
function plain(word) {
  let out = '';
  for (let i = 0; i < word.length && i < WORD_MAX; i++) {
    const c = lowerCase(slice(word, i, i + 1));
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += c;
  }
  return out;
}

// How many single edits turn a into b, up to FAR.
function distance(a, b) {
  if (a.length - b.length >= FAR || b.length - a.length >= FAR) return FAR;
  let row = list();
  for (let j = 0; j <= b.length; j++) row[j] = j;
  for (let i = 1; i <= a.length; i++) {
    const next = list();
    next[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const same = slice(a, i - 1, i) === slice(b, j - 1, j) ? 0 : 1;
      next[j] = min(row[j] + 1, next[j - 1] + 1, row[j - 1] + same);
    }
    row = next;
  }
  return min(row[b.length], FAR);
}

const within = (a, b) => a.length > 2 && b.length > 2 && indexOf(a, b) >= 0;
const WAYS = [
  (a, b) => a === b,
  (a, b) => within(a, b) || within(b, a),
  (a, b) => distance(a, b) < min(FAR, a.length),
];

// At most five: those that differ in case and punctuation alone, or else those of which one holds
// the other, or else those a typing error away.
export function nearNames(word, names) {
  const near = list();
  const wanted = plain(word);
  const plains = list();
  for (let i = 0; i < names.length; i++) plains[i] = plain(names[i]);
  for (let way = 0; way < 3 && near.length === 0 && wanted !== ''; way++) {
    for (let i = 0; i < names.length && near.length < NEAR_MAX; i++) {
      if (WAYS[way](wanted, plains[i])) near[near.length] = names[i];
    }
  }
  return near;
}

// How a member is written behind its object.
export function member(key) {
  return exec(IDENTIFIER, key) !== null ? `.${key}` : `[${stringify(key)}]`;
}

// The names as members of what path names, or as they are where path is null.
export function listed(names, path) {
  let text = '';
  for (let i = 0; i < names.length; i++)
    text += (i > 0 ? ', ' : '') + (path === null ? names[i] : path + member(names[i]));
  return text;
}

// What to say to who meant one of the names: the near ones as members of what path names, else
// behind few which there are, or many where these are many.
export function hintAmong(word, names, path, few, many) {
  const near = nearNames(word, names);
  if (near.length > 0) return `did you mean ${listed(near, path)}?`;
  if (names.length <= LISTED_MAX) return `${few}: ${listed(names, null)}`;
  return `${many}, and none of that name`;
}
