// TypeScript in a program, and what is wrong with it, in words and places of its text.
//
// A text that is JavaScript already costs nothing here, whatever language it was given as: only
// where it could also be read as a generic call does the stripper have the first word.

import { compile, evaluateIn, explain, parses, realmNow, Unfit, clampPlace } from './program.js';
import { erase, found, isAmbiguous, isUnsupported, loadCompiler } from './erase.js';
import { hasNoFence, readScript, sourcesOf, withoutIdle } from './recover.js';
import { namesIn } from './imports.js';
import { newMissing } from './missing.js';
import { newModules } from './modules.js';
import { shapeOf } from './shape.js';
import { newPlaces } from './sourcemap.js';
import { engine } from './intrinsics.js';

const { max } = engine;

function refuseFence({ fenced }, { code, map, wrap }) {
  if (fenced || map !== null || hasNoFence(code, (text) => parses(text, wrap))) return;
  throw new Unfit('syntax_error', 'backticks begin a fence here, and no template', null, undefined);
}

function unclosed({ line, mark }) {
  return new Unfit(
    'syntax_error',
    `the fence of line ${line} is never closed: the text may have been cut off`,
    { line, column: 1 },
    `end it with a line ${mark}`,
  );
}

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
  if (scriptFailure !== null && scriptFailure.odd !== undefined) return scriptFailure;
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

// The text in the language that was told, or in the one that it is: { code, map, wrap, finds }.
async function read(source, language, ask, early) {
  const { text } = source;
  const asItIs = () => readScript(source);
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
    return withoutIdle(source, (await early()) ?? (await eraseLate(source, ask, scriptFailure)));
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
async function eraseLate(source, ask, scriptFailure) {
  const { text } = source;
  try {
    const done = erase(source, null);
    if (done.needs === undefined) return done;
    const bytes = await ask('amaro');
    if (bytes === null) throw withoutCompiler(done.needs, text, scriptFailure);
    return erase(source, loadCompiler(bytes));
  } catch (error) {
    if (error instanceof Unfit) throw error;
    throw isUnsupported(error) ? unsupported(error, text) : invalid(error, text, scriptFailure);
  }
}

// Where a place of the code stands in the text: null, if nowhere. inserted: what shapes put in.
function newFinder({ code, map }, text) {
  const find = map === null ? null : newPlaces(JSON.parse(map));
  const lines = code.split('\n').length;
  return (line, column, inserted) => {
    if (line < 1 || line > lines) return null;
    let at = column;
    if (inserted !== null && line === inserted.line && column > inserted.column)
      at = max(inserted.column, column - inserted.length);
    if (find === null) return { line, column: at };
    // The opening is line 0 of both texts, as the map counts them: the text's lines count from 1.
    const found = find(line, at - 1);
    return clampPlace(text, found.line, found.column + 1);
  };
}

function placeIn(code, offset) {
  const before = code.slice(0, offset).split('\n');
  return { line: before.length, column: before[before.length - 1].length + 1 };
}

// The static imports of a text, as importAt() has them, without what only its types may need.
function importsOf({ code, finds }) {
  const names = finds.imports.length > 0 ? namesIn(code) : null;
  return finds.imports.map((each) => ({
    ...each,
    wants: each.wants.filter(({ local }) => names.has(local)),
  }));
}

// The code of a text that was read, ready to start: { main, place(line, column), imports }.
async function ready(source, reading, ask) {
  const finder = newFinder(reading, source.text);
  const placeAt = (offset) => {
    const { line, column } = placeIn(reading.code, offset);
    return finder(line, column, null);
  };
  const { code, wrap, inserted } = await shapeOf(reading, source, ask, placeAt);
  const shift =
    inserted === null ? null : { ...placeIn(code, inserted.at), length: inserted.length };
  const place = (line, column) => finder(line, column, shift);
  const imports = reading.finds.imports.map(({ code: each }) => each).join('');
  const around = { open: imports + wrap.open, close: wrap.close };
  const asRead = code === reading.code && around.open + around.close === '';
  const script = asRead ? reading.script : undefined;
  try {
    const main = compile(code, source.name, around, script);
    return { main, place, imports: importsOf(reading) };
  } catch (error) {
    if (error instanceof Unfit && error.place !== null) {
      const moved = error.place.line;
      error.place = place(moved, error.place.column);
      if (error.place !== null)
        error.message = error.message.replace(`(line ${moved})`, `(line ${error.place.line})`);
    }
    throw error;
  }
}

// Whether the program asks for modules, and in no way that node alone knows.
const mayImport = (text) =>
  text.includes('import') && !/\bimport\s*\.\s*(?:source|defer)\b/.test(text);

// boot: of the run. ask(name): the bytes of an asset, or null where home has none. early(): what
// eraseEarly() made of the first source. Returns main, which starts the program; place(line,
// column), which finds a place of what runs in boot.program, or null; moved, a list of { name,
// place } of modules whose lines are not those that run; missing, as missing.js makes it; and
// look(), which throws what static imports would throw, and runs nothing. Throws Unfit.
export async function prepare(boot, ask, early) {
  const { modules: sources, program, name } = boot;
  if (sources === undefined && !mayImport(program)) {
    const missing = newMissing({ names: [], name, text: program, pure: false });
    return { ...(await prepared(boot, ask, early)), moved: [], missing, look: async () => {} };
  }
  const { load, expect, look, moved, missing } = await newModules(boot, ask);
  evaluateIn({ ...realmNow(), load });
  const made = await prepared(boot, ask, early);
  expect(made.imports);
  return { ...made, moved, missing, look };
}

async function prepared(boot, ask, early) {
  const { sources, fault } = sourcesOf(boot);
  const errors = [];
  for (const source of sources) {
    let reading;
    try {
      const made = source === sources[0] ? early : async () => null;
      reading = await read(source, boot.language, ask, made);
      refuseFence(source, reading);
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      errors.push(error);
      continue;
    }
    return ready(source, reading, ask);
  }
  const told = fault(errors);
  throw told instanceof Unfit ? told : unclosed(told.open);
}

function unsupported(error, text) {
  const { place, message } = found(error, text);
  const line = place === null ? '' : ` (line ${place.line})`;
  return new Unfit('unsupported_syntax', `${message} is not supported${line}`, place, undefined);
}
