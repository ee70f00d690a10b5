// The submitted text as the body of an async function: checks it, compiles it, and knows which
// place of the text stands behind a place in a stack.

import { Script, constants } from 'node:vm';

// The wrapper has line 0 to itself, so that places in the text are what the engine says.
const OPENING = '(async function () { "use strict";\n';
const CLOSING = '\n})';
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
  if (line > lines.length) return { line: lines.length, column: Math.max(1, lines[lines.length - 1].length) };
  return { line, column: Math.min(Math.max(1, column), lines[line - 1].length + 1) };
}

// Where a SyntaxError of the engine points to: its stack begins with FILE:LINE, the line, and
// carets under the place; or blanks up to it, where what is wrong has no width.
export function placeOfSyntaxError(error, name) {
  const lines = String(error.stack).split('\n');
  const head = lines[0].startsWith(`${name}:`) ? Number(lines[0].slice(name.length + 1)) : NaN;
  if (!Number.isInteger(head)) return null;
  const carets = /^\s*\^*\s*$/.test(lines[2] ?? 'none') ? lines[2] : '';
  return { line: head, column: carets.search(/\^|$/) + 1 };
}

const IMPORT = 'a program is the body of an async function: write const { a } = await import("b")';
const EXPORT = 'a program is the body of an async function: give its result with return';

function unfit(error, text, name) {
  const place = placeOfSyntaxError(error, name);
  const at = place === null ? null : clampPlace(text, place.line, place.column);
  const { message } = error;
  if (/import statement|import.*module code|Cannot use 'import\.meta'/.test(message)) {
    return new Unfit('syntax_error', `${message}: ${IMPORT}`, at, IMPORT);
  }
  if (/'export'/.test(message)) return new Unfit('syntax_error', `${message}: ${EXPORT}`, at, EXPORT);
  if (at !== null && text.split('\n')[at.line - 1].slice(at.column - 1).startsWith('export')) {
    return new Unfit('syntax_error', `${message}: ${EXPORT}`, at, EXPORT);
  }
  return new Unfit('syntax_error', message, at, undefined);
}

// Throws Unfit; or returns what starts the program: a function that returns its promise.
export function compile(text, name) {
  const dynamic = constants && constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  let script;
  try {
    script = new Script(OPENING + text + CLOSING, {
      filename: name,
      lineOffset: -1,
      importModuleDynamically: dynamic || ((specifier) => import(specifier)),
    });
  } catch (error) {
    throw unfit(error, text, name);
  }
  try {
    // Alone, the body can't close the wrapper's braces.
    new AsyncFunction(`"use strict";\n${text}`);
  } catch (error) {
    throw new Unfit('syntax_error', `${error.message}: it closes a brace that it did not open`, null, undefined);
  }
  return script.runInThisContext();
}
