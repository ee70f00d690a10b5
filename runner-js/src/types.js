// TypeScript to JavaScript: erased in place by node's own stripper where it is there and
// suffices, else by the compiler that home sends when asked.
//
// A text that is JavaScript already costs nothing here, whatever language it was given as: only
// where it could also be read as a generic call does the stripper have the first word.

import * as nodeModule from 'node:module';
import { compile, explain, parses, placeOfError, clampPlace, Unfit } from './program.js';
import { newPlaces } from './sourcemap.js';

const OPENING = 'async function program() {\n';
const CLOSING = '\n}';
const identity = (line, column) => ({ line, column });

// Whether JavaScript and TypeScript might read the text differently: f<T>(x), f<T>`x`, and f<T>
// at the end of a line are comparisons to one and calls to the other.
export function isAmbiguous(text) {
  const at = text.indexOf('<');
  return at >= 0 && /[^=]>\s*(?:[(`]|\/[/*])|[^=]>[ \t]*\r?\n/.test(text.slice(at));
}

// Whether an error at that line stands where JSX begins.
function isMarkup(text, line) {
  const near = text
    .split('\n')
    .slice(Math.max(0, line - 2), line + 1)
    .join('\n');
  return (
    /(?:^|[(=>?:&|,[{]|return)\s*<(?:>|[A-Za-z][\w.]*(?:\s[^<>]*)?\/?>)/.test(near) &&
    /<\/[\w.]*>|\/>/.test(text)
  );
}

// node's own stripper, which warns that it is experimental: the program did not ask for it.
function ownStripper() {
  const strip = nodeModule.stripTypeScriptTypes;
  if (typeof strip !== 'function') return null;
  return (wrapped) => {
    const warn = process.emitWarning;
    process.emitWarning = () => {};
    try {
      return strip(wrapped, { mode: 'strip' });
    } finally {
      process.emitWarning = warn;
    }
  };
}

function loadCompiler(text) {
  const made = { exports: {} };
  const { require } = globalThis;
  new Function('module', 'exports', 'require', text)(made, made.exports, require);
  return made.exports.transformSync;
}

const isUnsupported = (error) =>
  error.code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX' || error.code === 'UnsupportedSyntax';

// What the stripper found, in places of the text.
function found(error, text) {
  const told = placeOfError(
    error.snippet === undefined ? error.stack : `:${error.startLine}\n${error.snippet}`,
    '',
  );
  const place = told === null ? null : clampPlace(text, told.line - 1, told.column);
  const message = String(error.message)
    .replace(/^TypeScript /, '')
    .replace(/ is not supported in strip-only mode$/, '');
  return { place, message };
}

function invalid(error, text, scriptFailure) {
  const { place, message } = found(error, text);
  if (place !== null && isMarkup(text, place.line)) {
    return new Unfit(
      'unsupported_syntax',
      `JSX is not supported (line ${place.line})`,
      place,
      'build elements with function calls',
    );
  }
  const better = place === null ? null : explain(text, place);
  if (better !== null) return better;
  // Where both languages stumble over the same place, the engine's words are the better known.
  const other = scriptFailure === null ? null : scriptFailure.place;
  if (
    other !== null &&
    place !== null &&
    other.line === place.line &&
    other.column === place.column
  )
    return scriptFailure;
  return new Unfit('syntax_error', message, place, undefined);
}

// What TypeScript a line holds, for a node that cannot say it itself; null: none that shows.
function constructIn(line) {
  const word = /\b(enum|namespace|interface|abstract|declare|satisfies)\b/.exec(line);
  if (word !== null) return word[1];
  if (/\btype\s+\w+\s*[=<]/.test(line)) return 'type alias';
  if (/\b(?:import|export)\s+type\b/.test(line)) return 'type import';
  if (/[\w$)\]}?]\s*\??:\s*[\w$<{[(]/.test(line)) return 'type annotation';
  return /\bas\s+\w|[\w$)]!|<\w+/.test(line) ? 'type assertion or argument' : null;
}

function missing(construct, place) {
  const line = place === null ? '' : ` (line ${place.line})`;
  return new Unfit(
    'unsupported_syntax',
    `${construct}${line} needs node >= 22.13 or a build of errand with amaro`,
    place,
    undefined,
  );
}

function needsCompiler(construct, place) {
  const line = place === null ? '' : ` (line ${place.line})`;
  return new Unfit(
    'unsupported_syntax',
    `${construct}${line} cannot be erased: it needs a build of errand with amaro`,
    place,
    undefined,
  );
}

// Neither node's own stripper nor the compiler is there.
function withoutCompiler(text, scriptFailure) {
  const place = scriptFailure === null ? null : scriptFailure.place;
  const construct = place === null ? 'TypeScript' : constructIn(text.split('\n')[place.line - 1]);
  return construct === null ? scriptFailure : missing(construct, place);
}

// The text without its types, or null: nothing to erase, or something to say about it. The first
// erasing of a thread takes tens of milliseconds; the main thread has them while the worker starts.
export function eraseEarly({ program: text, language }) {
  const strip = ownStripper();
  if (language === 'js' || strip === null) return null;
  if (!isAmbiguous(text) && parses(text)) return null;
  try {
    return stripAll(strip, text);
  } catch {
    return null;
  }
}

// boot: of the run. ask(): the compiler's text, or null where home has none. early(): what
// eraseEarly() made. Returns main, which starts the program, and place(line, column), which finds
// a place of what runs in boot.program. Throws Unfit.
export async function prepare(boot, ask, early) {
  const { program: text, name, language } = boot;
  const erased = (code) => ({ main: compile(code, name), place: identity });
  if (language === 'js') return erased(text);
  let scriptFailure = null;
  if (!isAmbiguous(text)) {
    try {
      return erased(text);
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      scriptFailure = error;
    }
  }
  try {
    const code = await early();
    if (code !== null) return erased(code);
    return await translate(text, name, ask, scriptFailure);
  } catch (error) {
    // What is no TypeScript may still be JavaScript.
    if (language === 'auto' && scriptFailure === null && error instanceof Unfit) {
      try {
        return erased(text);
      } catch {
        throw error;
      }
    }
    throw error;
  }
}

// Statements that only import or export types are no part of a function's body, but mean nothing
// either: the parser says where one stands, and blanks take its place.
const TYPES_ONLY = /^(?:import|export)\s+type\s[^;'"]*(?:from\s*(?:'[^'\n]*'|"[^"\n]*"))?[ \t]*;?/;
const BLANKED_MAX = 256;

function stripAll(strip, given) {
  let text = given;
  for (let i = 0; ; i++) {
    try {
      const code = strip(OPENING + text + CLOSING);
      return code.slice(OPENING.length, code.length - CLOSING.length);
    } catch (error) {
      const { place } = found(error, text);
      const at = place === null || i === BLANKED_MAX ? -1 : offsetOf(text, place);
      const statement = at < 0 ? null : TYPES_ONLY.exec(text.slice(at));
      if (statement === null) throw Object.assign(error, { blanked: text });
      text =
        text.slice(0, at) +
        statement[0].replace(/[^\n]/g, ' ') +
        text.slice(at + statement[0].length);
    }
  }
}

function offsetOf(text, place) {
  let at = 0;
  for (let line = 1; line < place.line; line++) at = text.indexOf('\n', at) + 1;
  return at + place.column - 1;
}

async function translate(text, name, ask, scriptFailure) {
  let strip = ownStripper();
  let transform = null;
  if (strip === null) {
    const compiler = await ask();
    if (compiler === null) throw withoutCompiler(text, scriptFailure);
    transform = loadCompiler(compiler);
    strip = (code) => transform(code, { mode: 'strip-only', filename: name }).code;
  }
  let code;
  try {
    code = stripAll(strip, text);
  } catch (error) {
    if (!isUnsupported(error)) throw invalid(error, text, scriptFailure);
    if (transform === null) {
      const compiler = await ask();
      const { place, message } = found(error, text);
      if (compiler === null) throw needsCompiler(message, place);
      transform = loadCompiler(compiler);
    }
    return transformed(transform, error.blanked, text, name);
  }
  return { main: compile(code, name), place: identity };
}

// What cannot be erased in place is compiled, and lines move: a source map finds them back.
function transformed(transform, blanked, text, name) {
  let out;
  try {
    out = transform(OPENING + blanked + CLOSING, {
      mode: 'transform',
      filename: name,
      sourceMap: true,
      transform: { verbatimModuleSyntax: true, nativeClassProperties: true, noEmptyExport: true },
    });
  } catch (error) {
    throw isUnsupported(error) ? unsupported(error, text) : invalid(error, text, null);
  }
  const first = out.code.indexOf('\n');
  const last = out.code.lastIndexOf('}');
  const find = newPlaces(JSON.parse(out.map));
  // The opening is line 0 of both texts, as the map counts them: the text's lines count from 1.
  const place = (line, column) => {
    const at = find(line, column - 1);
    return clampPlace(text, at.line, at.column + 1);
  };
  try {
    return { main: compile(out.code.slice(first + 1, last), name), place };
  } catch (error) {
    if (error instanceof Unfit && error.place !== null) {
      const moved = error.place.line;
      error.place = place(moved, error.place.column);
      error.message = error.message.replace(`(line ${moved})`, `(line ${error.place.line})`);
    }
    throw error;
  }
}

function unsupported(error, text) {
  const { place, message } = found(error, text);
  const line = place === null ? '' : ` (line ${place.line})`;
  return new Unfit('unsupported_syntax', `${message} is not supported${line}`, place, undefined);
}
