// What went wrong in the program, in words and with positions of the submitted text.
//
// The program may have made anything of its errors, and of Error itself: every read is guarded;
// a number or a boolean in place of a text counts as its text, and nothing else does.

import { isNativeError } from 'node:util/types';
import { inspect } from 'node:util';
import { alone, engine, list } from './intrinsics.js';
import { wordsOf } from './plain.js';
import { isToolError } from './calls.js';
import { shownAs } from './tools.js';
import { LISTED_MAX, hintAmong, listed, nearNames } from './near.js';
import {
  CODES,
  UNRENDERABLE,
  WORD_MAX,
  cut,
  framesOf,
  headOf,
  readStack,
  readText,
} from './stacks.js';

const { Error, String, slice, startsWith, indexOf, exec, RegExp } = engine;

const CAUSES_MAX = 5;
const WORD = '[A-Za-z_$][\\w$]*';
const NOT_A_FUNCTION = new RegExp(
  `^((?:${WORD}\\.)*${WORD})(?:\\.(${WORD})|\\["([^"]*)"\\]) is not a function`,
);
const NOT_A_TOOL = new RegExp(`^tools\\.(${WORD}) does not exist\\.`);
// By the program itself, and not by what it loaded.
const NOT_REQUIRED = new RegExp(
  "^Cannot find module '([^'\n]*)'\nRequire stack:\n- [^\n]*\\[worker eval\\]$",
);
const NOT_DEFINED = new RegExp(`^(${WORD}) is not defined`);

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
    const { frames } = framesOf(cause, readStack(cause) ?? '', source);
    text += `\nCaused by: ${headOf(cause)}${frames}`;
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
    if (alone) return wordsOf(thrown);
    const text = objectLike
      ? inspect(thrown, { depth: 4, maxArrayLength: 100, maxStringLength: WORD_MAX })
      : String(thrown);
    return typeof text === 'string' ? text : UNRENDERABLE;
  } catch {
    return UNRENDERABLE;
  }
}

// What the bridge may add to the globals of a program.
const BRIDGE = [
  'console',
  'signal',
  'ALL_TOOLS',
  'input',
  'text',
  'image',
  'emit',
  'file',
  'exit',
  'store',
  'load',
];

function isThere(name) {
  try {
    return engine.getOwnPropertyDescriptor(globalThis, name) !== undefined;
  } catch {
    return false;
  }
}

// The globals that a program has from home.
function fromHome(spaces) {
  const names = list();
  for (let i = 0; i < spaces.length; i++) {
    const { name, functions, bare } = spaces[i];
    if (!bare) names[names.length] = name;
    for (let k = 0; bare && k < functions.length; k++) {
      const dot = indexOf(functions[k], '.');
      names[names.length] = dot < 0 ? shownAs(functions[k]) : slice(functions[k], 0, dot);
    }
  }
  for (let i = 0; i < BRIDGE.length; i++) if (isThere(BRIDGE[i])) names[names.length] = BRIDGE[i];
  return names;
}

function hintForName(word, spaces) {
  for (let i = 0; i < spaces.length; i++) {
    const { name, functions, bare } = spaces[i];
    for (let k = 0; !bare && k < functions.length; k++) {
      if (functions[k] === word) return `did you mean ${name}.${word}?`;
    }
  }
  const names = fromHome(spaces);
  const near = nearNames(word, names);
  const meant = near.length > 0 ? `did you mean ${listed(near, null)}?` : undefined;
  if (names.length > LISTED_MAX) return meant;
  const without = alone ? 'with globals = pure there is nothing of node; ' : '';
  const given = `${without}given to the program: ${listed(names, null)}`;
  return meant === undefined ? given : `${meant} ${given}`;
}

// What home's functions are called behind that path; none: it is no namespace.
function membersOf(path, spaces) {
  const names = list();
  for (let i = 0; i < spaces.length; i++) {
    const { name, functions, bare } = spaces[i];
    for (let k = 0; k < functions.length; k++) {
      const whole = bare ? functions[k] : `${name}.${shownAs(functions[k])}`;
      if (startsWith(whole, `${path}.`)) names[names.length] = slice(whole, path.length + 1);
    }
  }
  return names;
}

function hintForMember(path, word, spaces) {
  const names = membersOf(path, spaces);
  if (names.length === 0) return undefined;
  return hintAmong(word, names, path, `${path} has`, `${path} has ${names.length} functions`);
}

// Of what tools does not have: a global of that name may have been meant.
function hintForTool(word, spaces) {
  const names = fromHome(spaces);
  for (let i = 0; i < names.length; i++) if (names[i] === word) return `did you mean ${word}?`;
  return undefined;
}

// What is still asked when the program fails may be what it should have waited for.
function hintForOpen({ count, names }) {
  if (count === 0) return undefined;
  const which = `${listed(names, null)}${count > names.length ? ', ...' : ''}`;
  const calls = count === 1 ? '1 call has' : `${count} calls have`;
  return `${calls} no answer yet (${which}): was an await forgotten?`;
}

function hintForType(message, spaces, open) {
  const tool = exec(NOT_A_TOOL, message);
  if (tool !== null) return hintForTool(tool[1], spaces);
  const call = exec(NOT_A_FUNCTION, message);
  const member = call === null ? undefined : hintForMember(call[1], call[2] ?? call[3], spaces);
  return member ?? hintForOpen(open());
}

function hintFor(name, message, spaces, open, missing) {
  const loose = name === 'ReferenceError' ? exec(NOT_DEFINED, message) : null;
  if (loose !== null) return hintForName(loose[1], spaces);
  const required = exec(NOT_REQUIRED, message);
  if (required !== null) return missing.hintFor(required[1]);
  return name === 'TypeError' ? hintForType(message, spaces, open) : undefined;
}

const UNAWAITED = 'nothing awaited that call when it failed: was an await forgotten?';

// The error object of done for what the program threw. open(): the calls that have no answer yet.
// unawaited: it is a rejection that nothing took.
export function describeThrown(thrown, source, spaces, open, unawaited) {
  if (!isErrorLike(thrown)) return { kind: 'exception', code: 'thrown', message: render(thrown) };
  const name = readText(thrown, 'name') ?? 'Error';
  const message = readText(thrown, 'message') ?? '';
  const stack = readStack(thrown) ?? '';
  const { frames, first } = framesOf(thrown, stack, source);
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
  const { missing } = source;
  const words = slice(message, 0, 400);
  let hint = missing.about(thrown)?.hint ?? hintFor(name, words, spaces, open, missing);
  if (unawaited && isToolError(thrown)) hint = UNAWAITED;
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
  const { module, modulePlace: at } = failure;
  if (module !== undefined && at !== null)
    told.stack += `\n    at ${module}:${at.line}:${at.column}`;
  if (hint !== undefined) told.hint = hint;
  return told;
}
