// TypeScript in a program, and what is wrong with it, in words and places of its text.
//
// A text that is JavaScript already costs nothing here, whatever language it was given as: only
// where it could also be read as a generic call does the stripper have the first word.

import { compile, explain, Unfit, clampPlace } from './program.js';
import { erase, found, isAmbiguous, isUnsupported, loadCompiler } from './erase.js';
import { newPlaces } from './sourcemap.js';

const identity = (line, column) => ({ line, column });

// Where JSX begins on a line or beside it, or null.
function markupAt(text, line) {
  const first = Math.max(0, line - 2);
  const near = text.split('\n').slice(first, line + 1);
  const tag =
    /(?:^|[(=>?:&|,[{]|return)\s*(?=<(?:>|[A-Za-z][\w.]*(?:\s[^<>]*)?\/?>))/m.exec(
      near.join('\n'),
    );
  if (tag === null || !/<\/[\w.]*>|\/>/.test(text)) return null;
  const before = near.join('\n').slice(0, tag.index + tag[0].length).split('\n');
  return { line: first + before.length, column: before[before.length - 1].length + 1 };
}

function invalid(error, text, scriptFailure) {
  const { place, message } = found(error, text);
  const markup = place === null ? null : markupAt(text, place.line);
  if (markup !== null) {
    return new Unfit(
      'unsupported_syntax',
      `JSX is not supported (line ${markup.line})`,
      markup,
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

// Home has no compiler. needs: what node's own stripper could not do; null: there is none either.
function withoutCompiler(needs, text, scriptFailure) {
  if (needs !== null) {
    const { place, message } = found(needs, text);
    return needsCompiler(message, place);
  }
  const place = scriptFailure === null ? null : scriptFailure.place;
  const construct = place === null ? 'TypeScript' : constructIn(text.split('\n')[place.line - 1]);
  return construct === null ? scriptFailure : missing(construct, place);
}

// Words that begin what only TypeScript has; in JavaScript they stand at no such place.
const TYPED_HERE = /^(?:enum|interface|namespace|declare|abstract|satisfies)\b/;
const TYPED_BEFORE = /(?:^|[;{}\s])(?:type|namespace|declare|abstract|interface)\s+$/;

// What was given as JavaScript and is none may be TypeScript under another name.
function asScript(asItIs, text) {
  try {
    return asItIs();
  } catch (error) {
    if (!(error instanceof Unfit) || error.place === null) throw error;
    const line = text.split('\n')[error.place.line - 1];
    const at = error.place.column - 1;
    if (TYPED_HERE.test(line.slice(at)) || TYPED_BEFORE.test(line.slice(0, at)))
      error.hint ??= 'it looks like TypeScript: give it that language, or a name that ends in .ts';
    throw error;
  }
}

// boot: of the run. ask(name): the bytes of an asset, or null where home has none. early(): what
// eraseEarly() made. Returns main, which starts the program, and place(line, column), which finds
// a place of what runs in boot.program. Throws Unfit.
export async function prepare(boot, ask, early) {
  const { program: text, name, language } = boot;
  const asItIs = () => ({ main: compile(text, name), place: identity });
  if (language === 'js') return asScript(asItIs, text);
  let scriptFailure = null;
  if (!isAmbiguous(text)) {
    try {
      return asItIs();
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      scriptFailure = error;
    }
  }
  try {
    const done = (await early()) ?? (await eraseLate(text, name, ask, scriptFailure));
    return compiled(done, text, name);
  } catch (error) {
    // What is no TypeScript may still be JavaScript.
    if (language === 'auto' && scriptFailure === null && error instanceof Unfit) {
      try {
        return asItIs();
      } catch {
        throw error;
      }
    }
    throw error;
  }
}

// What the main thread could not do, or has something to say about.
async function eraseLate(text, name, ask, scriptFailure) {
  let compiler = null;
  try {
    const done = erase(text, name, null);
    if (done.needs === undefined) return done;
    const bytes = await ask('amaro');
    if (bytes === null) throw withoutCompiler(done.needs, text, scriptFailure);
    compiler = loadCompiler(bytes);
    return erase(text, name, compiler);
  } catch (error) {
    if (error instanceof Unfit) throw error;
    throw isUnsupported(error) ? unsupported(error, text) : invalid(error, text, scriptFailure);
  }
}

function compiled({ code, map }, text, name) {
  if (map === null) return { main: compile(code, name), place: identity };
  const find = newPlaces(JSON.parse(map));
  // The opening is line 0 of both texts, as the map counts them: the text's lines count from 1.
  const place = (line, column) => {
    const at = find(line, column - 1);
    return clampPlace(text, at.line, at.column + 1);
  };
  try {
    return { main: compile(code, name), place };
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
