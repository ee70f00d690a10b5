// The submitted text as the body of an async function: checks it, compiles it, and knows which
// place of the text stands behind a place in a stack.

import * as vm from 'node:vm';
import { oddityAt } from './oddities.js';

const { Script, constants } = vm; // The latter is not everywhere.

// What stands around a text in the wrapper: it is statements, or one expression.
export const BODY = { open: '', close: '' };
export const VALUE = { open: 'return (', close: ');' };

// The wrapper has line 0 to itself, so that places in the text are what the engine says.
const wrapped = (text, { open, close }) =>
  `(async function () { "use strict";${open}\n${text}\n${close}})`;
const AsyncFunction = (async () => {}).constructor;

// A text that is no program. place: { line, column } or null.
export class Unfit extends Error {
  constructor(code, message, place, hint) {
    super(message);
    this.code = code;
    this.place = place;
    this.hint = hint;
  }
}

// No place is outside the text.
export function clampPlace(text, line, column) {
  const lines = text.split('\n');
  if (line < 1) return { line: 1, column: 1 };
  if (line > lines.length)
    return { line: lines.length, column: Math.max(1, lines[lines.length - 1].length) };
  return { line, column: Math.min(Math.max(1, column), lines[line - 1].length + 1) };
}

// Where an error says that it is: its stack begins with FILE:LINE, the line, and carets under
// the place; or blanks up to it, where what is wrong has no width. null: it does not say.
export function placeOfError(stack, name) {
  const lines = String(stack).split('\n');
  const line = lines[0].startsWith(`${name}:`) ? Number(lines[0].slice(name.length + 1)) : NaN;
  if (!Number.isInteger(line)) return null;
  const blanks = lines.slice(2, 3).filter((each) => /^\s*$/.test(each));
  const carets = lines.slice(1, 6).find((each) => /^\s*\^+\s*$/.test(each)) ?? blanks[0] ?? '';
  return { line, column: carets.search(/\^|$/) + 1 };
}

const MEANT = 'a program is the body of an async function';

export function offsetOf(text, place) {
  let at = 0;
  for (let line = 1; line < place.line; line++) at = text.indexOf('\n', at) + 1;
  return at + place.column - 1;
}

// What the words at a place of the text say better than a parser does, or null.
export function explain(text, place) {
  const line = text.split('\n')[place.line - 1];
  const rest = line.slice(place.column - 1);
  const odd = oddityAt(text, place);
  if (odd !== null)
    return Object.assign(new Unfit('syntax_error', odd.message, odd.place, undefined), { odd });
  const bare = /^import\b[^'"]*?\bfrom\s+([\w@][\w@/.:-]*)[\s;]*$/.exec(rest);
  if (bare !== null) {
    const message = `the name of a module stands in quotes: from '${bare[1]}'`;
    return new Unfit('syntax_error', message, place, undefined);
  }
  if (/^import\b/.test(rest)) {
    return new Unfit(
      'syntax_error',
      `Cannot use an import statement here: ${MEANT}; write const { a } = await import("b")`,
      place,
      undefined,
    );
  }
  if (/^export\b/.test(rest)) {
    return new Unfit(
      'syntax_error',
      `Cannot use an export statement here: ${MEANT}; give its result with return`,
      place,
      undefined,
    );
  }
  if (rest.startsWith('@')) return beyond('decorators', place);
  const before = line.slice(0, place.column - 1);
  if (/(^|[;{\s])using\s+$/.test(before)) return beyond('using declarations', place);
  if (/(^|[;{}\s])accessor\s+$/.test(before)) return beyond('accessor fields', place);
  return null;
}

function beyond(construct, place) {
  return new Unfit(
    'unsupported_syntax',
    `${construct} are not supported by node ${process.version} (line ${place.line})`,
    place,
    undefined,
  );
}

// Whether a line is behind the text: what is wrong is how the text ends.
export const isBehind = (text, line) => line > text.split('\n').length;

export const CLOSES = "Unexpected token '}': it closes a brace that it did not open";

// What is wrong with the end of a text, in the engine's words, but without what the wrapper has
// behind it.
function wrongEnd(text, name) {
  try {
    new Script(`async function program() {\n${text}`, { filename: name });
  } catch (error) {
    return error.message;
  }
  return CLOSES;
}

function unfit(error, text, name) {
  const told = placeOfError(error.stack, name);
  if (told === null) return new Unfit('syntax_error', error.message, null, undefined);
  const place = clampPlace(text, told.line, told.column);
  if (isBehind(text, told.line))
    return new Unfit('syntax_error', wrongEnd(text, name), place, undefined);
  return explain(text, place) ?? new Unfit('syntax_error', error.message, place, undefined);
}

// Whether the text is JavaScript, as far as a parser can tell.
export function parses(text, wrap = BODY) {
  try {
    return new Script(wrapped(text, wrap)) !== null;
  } catch {
    return false;
  }
}

// node warns at the first import by this loader, and once a thread: here, where nobody hears it.
// The refusal to warn ends that import before it loads anything.
function warnUnheard(importModuleDynamically) {
  const { emitWarning } = process;
  process.emitWarning = () => {
    throw new Error('nobody hears this');
  };
  try {
    const script = new Script('import("node:vm")', { importModuleDynamically });
    script.runInThisContext().catch(() => {});
  } finally {
    process.emitWarning = emitWarning;
  }
}

// Where programs are evaluated, and how they import: here, with node's own loader, until told.
let realm = { run: (script) => script.runInThisContext(), load: null, context: undefined };

export const realmNow = () => realm;

export function evaluateIn(another) {
  realm = another;
}

// node's own loader, or what does the same.
const own =
  (constants && constants.USE_MAIN_CONTEXT_DEFAULT_LOADER) ||
  ((specifier, script, attributes) =>
    import(specifier, { with: attributes, assert: attributes }));

// Throws Unfit.
export function newScript(text, name, wrap) {
  try {
    return new Script(wrapped(text, wrap), {
      filename: name,
      lineOffset: -1,
      importModuleDynamically: realm.load || own,
    });
  } catch (error) {
    throw unfit(error, text, name);
  }
}

// Throws Unfit; or returns what starts the program: a function that returns its promise. script: of
// the same text, if there is one.
export function compile(text, name, wrap = BODY, script = newScript(text, name, wrap)) {
  try {
    // Alone, the body can't close the wrapper's braces.
    new AsyncFunction(`"use strict";${wrap.open}\n${text}\n${wrap.close}`);
  } catch {
    throw new Unfit('syntax_error', CLOSES, null, undefined);
  }
  const warns = realm.load === null && typeof own !== 'function';
  if (warns && /import/.test(wrap.open + text)) warnUnheard(own);
  return realm.run(script);
}

// node's own import, as in a text of that name, for those who answer import() themselves.
export function newImport(name) {
  const script = new Script('(specifier, options) => import(specifier, options)', {
    filename: name,
    lineOffset: -1,
    importModuleDynamically: own,
  });
  if (typeof own !== 'function') warnUnheard(own);
  return script.runInThisContext();
}
