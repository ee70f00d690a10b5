// What went wrong in the program, in words and with positions of the submitted text.
//
// The program may have made anything of its errors, and of Error itself: every read is guarded;
// a number or a boolean in place of a text counts as its text, and nothing else does.

import { isNativeError } from 'node:util/types';
import { inspect } from 'node:util';
import { engine } from './intrinsics.js';
import { isToolError, shownAs } from './calls.js';
import {
  CODES,
  UNRENDERABLE,
  WORD_MAX,
  cut,
  headOf,
  readFrames,
  readStack,
  readText,
} from './stacks.js';

const { Error, String, slice, indexOf, exec, RegExp, lowerCase } = engine;

const CAUSES_MAX = 5;
const NOT_A_FUNCTION = new RegExp(
  '^([A-Za-z_$][\\w$]*)(?:\\.([A-Za-z_$][\\w$]*)|\\["([^"]*)"\\]) is not a function',
);
const NOT_DEFINED = new RegExp('^([A-Za-z_$][\\w$]*) is not defined');

function isErrorLike(thrown) {
  try {
    return (
      isNativeError(thrown) ||
      (typeof thrown === 'object' && thrown !== null && thrown instanceof Error)
    );
  } catch {
    return false;
  }
}

function causesOf(error, source) {
  let text = '';
  let cause = error;
  for (let i = 0; i < CAUSES_MAX; i++) {
    try {
      cause = cause.cause;
    } catch {
      return text;
    }
    if (!isErrorLike(cause)) return text;
    text += `\nCaused by: ${headOf(cause)}${readFrames(readStack(cause) ?? '', source).frames}`;
  }
  return text;
}

function render(thrown) {
  if (typeof thrown === 'string') return thrown;
  try {
    const objectLike =
      (typeof thrown === 'object' && thrown !== null) || typeof thrown === 'function';
    const message = objectLike ? readText(thrown, 'message') : undefined;
    if (message !== undefined) return message;
    const text = objectLike
      ? inspect(thrown, { depth: 4, maxArrayLength: 100, maxStringLength: WORD_MAX })
      : String(thrown);
    return typeof text === 'string' ? text : UNRENDERABLE;
  } catch {
    return UNRENDERABLE;
  }
}

function bare(word) {
  let out = '';
  for (let i = 0; i < word.length; i++) {
    const c = lowerCase(slice(word, i, i + 1));
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += c;
  }
  return out;
}

// How many single edits turn a into b, up to 3.
function distance(a, b) {
  let row = [];
  for (let j = 0; j <= b.length; j++) row[j] = j;
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = slice(a, i - 1, i) === slice(b, j - 1, j) ? 0 : 1;
      next[j] = engine.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + same);
    }
    row = next;
  }
  return engine.min(row[b.length], 3);
}

const NEAR_MAX = 5;
const LISTED_MAX = 20;

function nearNames(word, names) {
  const wanted = bare(slice(word, 0, 64));
  const near = [];
  for (let i = 0; i < names.length && near.length < NEAR_MAX; i++) {
    const name = bare(slice(names[i], 0, 64));
    const inside =
      wanted.length > 2 &&
      name.length > 2 &&
      (indexOf(name, wanted) >= 0 || indexOf(wanted, name) >= 0);
    if (inside || distance(wanted, name) < 3) near[near.length] = names[i];
  }
  return near;
}

function enumerate(names, prefix) {
  let text = '';
  for (let i = 0; i < names.length; i++) text += (i > 0 ? ', ' : '') + prefix + names[i];
  return text;
}

function hintFor(name, message, spaces) {
  const call = name === 'TypeError' ? exec(NOT_A_FUNCTION, message) : null;
  for (let i = 0; call !== null && i < spaces.length; i++) {
    if (spaces[i].name !== call[1]) continue;
    const names = [];
    for (let k = 0; k < spaces[i].functions.length; k++) names[k] = shownAs(spaces[i].functions[k]);
    const near = nearNames(call[2] ?? call[3], names);
    if (near.length > 0) return `did you mean ${enumerate(near, `${call[1]}.`)}?`;
    if (names.length <= LISTED_MAX) return `${call[1]} has: ${enumerate(names, '')}`;
    return `${call[1]} has ${names.length} functions, and none of that name`;
  }
  const loose = name === 'ReferenceError' ? exec(NOT_DEFINED, message) : null;
  for (let i = 0; loose !== null && i < spaces.length; i++) {
    for (let k = 0; k < spaces[i].functions.length; k++) {
      if (spaces[i].functions[k] === loose[1]) return `did you mean ${spaces[i].name}.${loose[1]}?`;
    }
  }
  return undefined;
}

// The error object of done for what the program threw.
export function describeThrown(thrown, source, spaces) {
  if (!isErrorLike(thrown)) return { kind: 'exception', code: 'thrown', message: render(thrown) };
  const name = readText(thrown, 'name') ?? 'Error';
  const message = readText(thrown, 'message') ?? '';
  const stack = readStack(thrown) ?? '';
  const { frames, first } = readFrames(stack, source);
  const told = {
    kind: 'exception',
    code: isToolError(thrown) ? 'tool_error' : (CODES[name] ?? 'thrown'),
    name: cut(name),
    message: cut(message),
    stack: headOf(thrown) + frames + causesOf(thrown, source),
  };
  if (first !== null) {
    told.line = first.line;
    told.column = first.column;
  }
  const hint = hintFor(name, slice(message, 0, 400), spaces);
  if (hint !== undefined) told.hint = cut(hint);
  return told;
}

// The error object of done for a text that is no program. place: { line, column } or null.
export function describeSyntax(failure, sourceName) {
  const { code, message, place, hint } = failure;
  const told = { kind: 'exception', code, name: 'SyntaxError', message: cut(message) };
  told.stack = `SyntaxError: ${told.message}`;
  if (place !== null) {
    told.stack += `\n    at ${sourceName}:${place.line}:${place.column}`;
    told.line = place.line;
    told.column = place.column;
  }
  if (hint !== undefined) told.hint = hint;
  return told;
}
