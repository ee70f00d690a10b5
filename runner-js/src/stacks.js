// Stacks of errors: which frames are the program's, and where they stand in the submitted text.
//
// The program may have made anything of its errors, and of Error itself: every read is guarded;
// a number or a boolean in place of a text counts as its text, and nothing else does.

import { engine } from './intrinsics.js';

const {
  Error,
  String,
  WeakMap,
  slice,
  indexOf,
  lastIndexOf,
  endsWith,
  exec,
  RegExp,
  defineProperty,
  getOwnPropertyDescriptor,
  weakGet,
  weakSet,
} = engine;

export const WORD_MAX = 10000;
// Of what the engine itself throws. A SyntaxError is not among them, since syntax_error says that
// nothing of the program ran.
export const CODES = {
  __proto__: null,
  TypeError: 'type_error',
  ReferenceError: 'reference_error',
  RangeError: 'range_error',
};

export const UNRENDERABLE = 'program threw an unrenderable value';
const FRAME = new RegExp('^ {4}at ');
const FOREIGN = new RegExp(
  'errand:runner|node:internal/|\\(node:|at (async )?node:|\\(<anonymous>\\)$|\\[worker eval\\]',
);

// The stacks that the program saw: error → { shown, raw }, the latter as the engine has it.
const seen = new WeakMap();

export function readText(object, key) {
  try {
    const text = object[key];
    if (typeof text === 'number' || typeof text === 'boolean') return String(text);
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}

export function headOf(error) {
  const name = readText(error, 'name') ?? 'Error';
  const message = readText(error, 'message') ?? '';
  if (name === '') return message;
  return message === '' ? name : `${name}: ${message}`;
}

export function cut(text) {
  return text.length > WORD_MAX ? slice(text, 0, WORD_MAX) : text;
}

// Of an Error that was closed to new properties, the old one stays away.
function restore(own) {
  try {
    defineProperty(Error, 'prepareStackTrace', own);
  } catch {
    // What the program threw counts, and not what became of Error.
  }
}

// The stack as the engine renders it: what is in Error.prepareStackTrace is kept out meanwhile.
export function readStack(error) {
  const own = getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  const hidden = own !== undefined && own.configurable;
  try {
    if (hidden) delete Error.prepareStackTrace;
    const stack = readText(error, 'stack');
    const known = weakGet(seen, error);
    return known !== undefined && known.shown === stack ? known.raw : stack;
  } catch {
    return undefined;
  } finally {
    if (hidden) restore(own);
  }
}

// Calls back with each line of text.
function eachLine(text, onLine) {
  for (let at = 0; at <= text.length;) {
    const end = indexOf(text, '\n', at);
    const stop = end < 0 ? text.length : end;
    onLine(slice(text, at, stop));
    at = stop + 1;
  }
}

// A frame in the file of that name, as place(line, column) moves it: { at, text }, where at is null
// if the place is no part of it; or null: it is another's.
function moveFrame(line, { name, place }) {
  if (endsWith(line, ` ${name}`) || endsWith(line, `(${name})`)) return { at: null, text: '' };
  const mark = `${name}:`;
  const at = lastIndexOf(line, mark);
  const before = at > 0 ? slice(line, at - 1, at) : '';
  if (before !== '(' && before !== ' ') return null;
  const numbers = exec(new RegExp('^([0-9]+):([0-9]+)'), slice(line, at + mark.length));
  if (numbers === null) return null;
  const found = place(+numbers[1], +numbers[2]);
  if (found === null) return { at: null, text: '' };
  const after = slice(line, at + mark.length + numbers[0].length);
  return { at: found, text: `${slice(line, 0, at)}${mark}${found.line}:${found.column}${after}` };
}

// source: { name, place(line, column), moved } of the program and of its modules whose lines moved;
// and for framesOf() missing, of missing.js.
// Frames of the program and of what it loaded, with places of the submitted text; and the first
// place in the program itself.
export function readFrames(stack, source) {
  let frames = '';
  let first = null;
  eachLine(stack, (line) => {
    if (exec(FRAME, line) === null || line.length > 4096) return;
    let frame = moveFrame(line, source);
    if (frame !== null && first === null) first = frame.at;
    for (let i = 0; frame === null && i < source.moved.length; i++)
      frame = moveFrame(line, source.moved[i]);
    if (frame !== null && frame.at !== null) frames += `\n${frame.text}`;
    if (frame === null && exec(FOREIGN, line) === null) frames += `\n${line}`;
  });
  return { frames, first };
}

// Those of the import by which an error came to the program; where it is called, and not where the
// engine has it.
function framesOfImport({ place, outer, specifier }, source) {
  if (place !== null)
    return { frames: `\n    at ${source.name}:${place.line}:${place.column}`, first: place };
  let called = false;
  const placeOf = (line, column) => {
    const near = source.place(line, column);
    if (called || near === null) return near;
    called = true;
    return source.missing.placeOfCall(specifier, near);
  };
  return readFrames(outer, { ...source, place: placeOf });
}

// The same of an error; and where none of that is the program's, those of the import that threw it.
export function framesOf(error, stack, source) {
  const about = source.missing.about(error);
  const own = readFrames(about?.missed ? '' : stack, source);
  if (own.first !== null || about === undefined) return own;
  const inner = readFrames(about.inner, source);
  const frames = own.frames + about.frames + inner.frames;
  if (inner.first !== null) return { frames, first: inner.first };
  const outer = framesOfImport(about, source);
  return { frames: frames + outer.frames, first: outer.first };
}

// From here on, stacks show the program its own frames alone, until it has other ideas.
export function cleanStacks(source) {
  const value = (error, sites) => {
    let raw = '';
    for (let i = 0; i < sites.length; i++) {
      try {
        raw += `\n    at ${sites[i]}`;
      } catch {
        // Its words are the program's to break.
      }
    }
    const shown = headOf(error) + framesOf(error, raw, source).frames;
    weakSet(seen, error, { __proto__: null, shown, raw: headOf(error) + raw });
    return shown;
  };
  defineProperty(Error, 'prepareStackTrace', {
    __proto__: null,
    value,
    writable: true,
    configurable: true,
  });
}

// The error object of done for what the program's thread fell over, as it reached the main thread:
// its stack shows places of the text already.
export function describeFallen(thrown, name) {
  const message = readText(thrown, 'message');
  if (message === undefined) {
    const word = typeof thrown === 'object' && thrown !== null ? UNRENDERABLE : `${thrown}`;
    return { kind: 'exception', code: 'thrown', message: cut(word) };
  }
  const asItIs = { name, place: (line, column) => ({ line, column }), moved: [] };
  const { frames, first } = readFrames(readStack(thrown) ?? '', asItIs);
  return {
    kind: 'exception',
    code: CODES[thrown.name] ?? 'thrown',
    name: cut(readText(thrown, 'name') ?? 'Error'),
    message: cut(message),
    stack: headOf(thrown) + frames,
    ...first,
  };
}
