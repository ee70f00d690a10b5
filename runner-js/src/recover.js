// Programs as they are written to be read: with fences of Markdown around them, static imports,
// `export default`. Finds the text that is meant and blanks what is none of it, so that every
// place stays where it is.

import { BODY, VALUE, Unfit, explain, newScript, offsetOf } from './program.js';
import { importAt } from './imports.js';
import { isIdle } from './oddities.js';

const HIDDEN_MOST = 256;
const OPENS = /^[ \t>]*(~{3,})(.*)$|^[^`]*(`{3,})([^`]*)$/;
const QUOTED = /(`+)[^`]*[^`]\1(?!`)/g;
const OURS = /^(?:|[jt]sx?|[mc][jt]s|javascript|typescript|ecmascript|node)$/i;
const LINE_MOST = 1024; // No line longer than that opens or closes a fence.
// Each is told where to look: no search in what a program is told by may go back and forth.
const TRIVIA = /\s+|\/\/[^\n]*|\/\*[^]*?\*\//y;
const FUNCTION = /(?:async[ \t]+)?function\b/y;
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const EXPORT = /export\b/y;
const DEFAULT = /default\b/y;
const TYPE = /(?:type|interface)\b/y;
const ENDS = /;+/y;
// All fences together are tried as so many bytes of text, at most.
const TRIED_MOST = 1 << 24;

// Where the text goes on behind what matches there; -1: nothing does.
function behind(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

// Where the text goes on behind blanks and comments.
export function behindTrivia(text, from) {
  let at = from;
  for (let next = at; next >= 0; next = behind(TRIVIA, text, at)) at = next;
  return at;
}

// Where the text goes on behind the word that makes its first statement a function; or -1.
const behindFunction = (text) => behind(FUNCTION, text, behindTrivia(text, 0));

// The name of the function that the text begins with, `*` for a generator's; or null.
function functionName(text) {
  let at = behindFunction(text);
  if (at < 0) return null;
  at = behindTrivia(text, at);
  const generator = text[at] === '*';
  if (generator) at = behindTrivia(text, at + 1);
  const end = behind(NAME, text, at);
  if (end < 0) return null;
  return generator ? '*' : text.slice(at, end);
}

// The length of `export default` at its beginning; or -1.
function exportsDefault(text) {
  const at = behind(EXPORT, text, 0);
  return at < 0 ? -1 : behind(DEFAULT, text, behindTrivia(text, at));
}

// The length of `export` at its beginning, where it exports a type; or -1.
function exportsType(text) {
  const at = behind(EXPORT, text, 0);
  const name = at < 0 ? -1 : behind(TYPE, text, behindTrivia(text, at));
  return name >= 0 && behind(NAME, text, behindTrivia(text, name)) >= 0 ? at : -1;
}

// Whether there are ends of statements, blanks and comments alone.
function isNothing(text) {
  let at = 0;
  for (let next = at; next >= 0; next = behind(ENDS, text, at)) at = behindTrivia(text, next);
  return at === text.length;
}

export const blanksFor = (text) =>
  text.replace(/[^\n\r\u2028\u2029]+/g, (line) => ' '.repeat(line.length));

function blank(text, at, length) {
  return text.slice(0, at) + blanksFor(text.slice(at, at + length)) + text.slice(at + length);
}

// The fence that a line opens: { mark, language, first }, the latter where nothing stands before
// it; or null.
function openingOf(line) {
  const found = line.length > LINE_MOST ? null : OPENS.exec(line.replace(QUOTED, ' '));
  if (found === null) return null;
  const mark = found[1] ?? found[3];
  const info = found[2] ?? found[4];
  return { mark, language: info.trim().split(/[\s,:{]/)[0], first: /^[ \t>]*(?:`|~)/.test(line) };
}

// How many characters of the line are in front of what closes a fence of that mark; -1: none does.
function closesAt(line, mark) {
  if (line.length > LINE_MOST) return -1;
  const end = line.trimEnd();
  let at = end.length;
  while (at > 0 && end[at - 1] === mark[0]) at--;
  if (end.length - at < mark.length) return -1;
  return mark[0] === '`' || end.slice(0, at).trim() === '' ? at : -1;
}

// All fences: { line, first, language, from, to }; to is -1 where the text ends in it.
function fencesOf(text) {
  const fences = [];
  let open = null;
  let at = 0;
  for (const [line, words] of text.split('\n').entries()) {
    const end = at + words.length + 1;
    if (open === null) {
      const made = openingOf(words.replace(/\r$/, ''));
      const from = Math.min(end, text.length);
      if (made !== null) open = { ...made, line: line + 1, from, to: -1 };
    } else {
      const closes = closesAt(words, open.mark);
      if (closes >= 0) {
        fences.push({ ...open, to: at + closes });
        open = null;
      }
    }
    at = end;
  }
  if (open !== null) fences.push(open);
  return fences;
}

// Whether the text might be a program with fences inside it, to a parser that has not seen it:
// these stand in comments, or in templates if they are no backticks.
function mayHold(text, fence) {
  const before = text.slice(0, fence.from).split('\n').slice(0, -2).join('\n');
  return before.includes('/*') || (fence.mark[0] === '~' && before.includes('`'));
}

// Blanks what makes the first line no JavaScript.
const begun = (text) => text.replace(/^\uFEFF/, ' ').replace(/^(\s*)#!/, '$1//');

// The texts that may be meant, in the order in which they are to be tried: { text, fenced }. And
// which of their errors is to be told: fault(errors), in the same order.
function textsOf(given) {
  const text = begun(given);
  const fences = /```|~~~/.test(text) ? fencesOf(text) : [];
  if (fences.length === 0) return { texts: [{ text, fenced: true }], fault: firstOf };
  const lead = text.split('\n', fences[0].line - 1).join('').trim() === '' && fences[0].first;
  const closed = fences.filter(({ to }) => to >= 0);
  const ordered = [
    ...closed.filter(({ language }) => OURS.test(language)),
    ...closed.filter(({ language }) => !OURS.test(language)),
  ];
  const most = Math.max(2, Math.floor(TRIED_MOST / text.length));
  const texts = ordered.slice(0, most).map(({ from, to }) => ({
    text: blanksFor(text.slice(0, from)) + text.slice(from, to) + blanksFor(text.slice(to)),
    fenced: true,
  }));
  const whole = !lead && (ordered.length === 0 || mayHold(text, ordered[0]));
  if (whole) texts.unshift({ text, fenced: false });
  const open = fences.find(({ to }) => to < 0);
  const fault = (errors) => {
    const own = whole ? errors[0] : null;
    const inside = errors[whole ? 1 : 0];
    const early = own === null || own.place === null || own.place.line <= fences[0].line;
    if (early && inside !== undefined) return inside;
    if (early && open !== undefined) return { open };
    return own;
  };
  return { texts, fault };
}

const firstOf = (errors) => errors[0];

// The texts that boot's may mean, as what reads them wants to know them.
export function sourcesOf({ program, name, accept, last_value: last }) {
  const lenient = accept === 'lenient';
  const about = { name, lenient, lastValue: last === true };
  if (!lenient) return { sources: [{ ...about, text: program, fenced: true }], fault: firstOf };
  const { texts, fault } = textsOf(program);
  return { sources: texts.map((each) => ({ ...about, ...each })), fault };
}

// Whether the fences inside a text are in its comments alone, and it does not parse because
// backticks make an empty template: these would have no place for what is no character of
// JavaScript.
export const hasNoFence = (text, parses) =>
  !/^[ \t]*```/m.test(text) || parses(text.replace(/^([ \t]*)```/gm, '$1\u0001\u0001\u0001'));

// What was taken out of the text: imports, as importAt() has them; and where it exports its
// default; settled: whether what becomes of that is in the wrapper already.
const noFinds = () => ({ imports: [], exported: null, settled: false });

// The text without what a parser stumbled over at that place, or null. word: what is to stand in
// place of `export default`.
function hide(text, place, { wrap, word }, finds) {
  const at = place === null ? -1 : offsetOf(text, place);
  if (at < 0) return null;
  const rest = text.slice(at);
  if (isIdle(text, at)) return blank(text, at, 1);
  if (wrap === VALUE && rest[0] === ';' && isNothing(rest)) return blank(text, at, rest.length);
  const declared = rest.startsWith('import') ? importAt(rest, at) : null;
  if (declared !== null) {
    finds.imports.push(declared);
    return blank(text, at, declared.length);
  }
  const type = exportsType(rest);
  if (type >= 0) return blank(text, at, type);
  const exported = finds.exported === null ? exportsDefault(rest) : -1;
  if (exported < 0 || /[\n\r\u2028\u2029]/.test(rest.slice(0, word.length))) return null;
  finds.exported = place;
  return text.slice(0, at) + word + blank(text, at, exported).slice(at + word.length);
}

// A name that the text does not have, as long as the shortest export leaves room for.
function freeName(text) {
  let name = '$default';
  for (let i = 0; i < 10 && text.includes(name); i++) name = `$defaul${i}`;
  return name;
}

// attempt(text, wrap): an object, or throws what stumbled(error, text) tells as { place, text }.
// The first that comes of the text or of what is left of it: { …, wrap, finds }.
export function recovered(given, attempt, stumbled) {
  let left = given;
  let finds = null;
  const read = (wrap, word = '') => {
    finds = noFinds();
    left = given;
    for (let i = 0; ; i++) {
      try {
        return { ...attempt(left, wrap), wrap, finds };
      } catch (error) {
        const { place, text } = stumbled(error, left);
        left = text;
        const next = i === HIDDEN_MOST ? null : hide(text, place, { wrap, word }, finds);
        if (next === null) throw error;
        left = next;
      }
    }
  };
  const readOr = (wrap, error) => {
    try {
      return read(wrap);
    } catch {
      if (error === null) return null;
      throw error;
    }
  };
  // What gives the result stands behind all else. Inside a block it would be none.
  const settle = (body, close) => {
    try {
      attempt(left.slice(0, offsetOf(given, finds.exported)), BODY);
    } catch {
      throw explain(given, finds.exported);
    }
    return { ...body, wrap: { open: '', close }, finds: { ...finds, settled: true } };
  };
  let body = null;
  try {
    body = read(BODY);
  } catch (error) {
    if (finds.exported === null && behindFunction(left) < 0) throw error;
    if (finds.exported === null) return readOr(VALUE, error);
  }
  if (finds.exported === null) return body;
  const at = offsetOf(given, finds.exported);
  const named = body === null ? null : functionName(left.slice(at));
  if (named === '*') return body;
  if (named !== null) return settle(body, `return await ${named}();`);
  const lone = isNothing(left.slice(0, at)) ? readOr(VALUE, null) : null;
  if (lone !== null) return lone;
  const name = freeName(given);
  const whole = read(BODY, `let ${name} =`);
  return settle(whole, `return typeof ${name} === 'function' ? await ${name}() : ${name};`);
}

// What comes of a text that is taken as it is.
export const asGiven = (made) => ({ ...made, wrap: BODY, finds: noFinds() });

// The text as JavaScript: { code, map, script, wrap, finds }. Throws Unfit.
export function readScript({ text, name, lenient }) {
  const attempt = (code, wrap) => ({ code, map: null, script: newScript(code, name, wrap) });
  if (!lenient) return asGiven(attempt(text, BODY));
  return recovered(text, attempt, (error, left) => ({ place: error.place, text: left }));
}

// The same, or null.
export function tryScript(source) {
  try {
    return readScript(source);
  } catch (error) {
    if (error instanceof Unfit) return null;
    throw error;
  }
}

// The parsers of TypeScript do not mind a character without width; the engine does.
export function withoutIdle({ name, lenient }, reading) {
  let { code } = reading;
  for (let i = 0; lenient && i < HIDDEN_MOST; i++) {
    try {
      return { ...reading, code, script: newScript(code, name, reading.wrap) };
    } catch ({ place }) {
      const at = place === null ? -1 : offsetOf(code, place);
      if (at < 0 || !isIdle(code, at)) break;
      code = blank(code, at, 1);
    }
  }
  return reading;
}

// A text that is an expression and nothing else, without what ends it as a statement; or null.
export function loneIn(text, name) {
  for (let left = text, i = 0; left !== null && i < 2; i++) {
    try {
      newScript(left, name, VALUE);
      return left;
    } catch (error) {
      left = hide(left, error.place, { wrap: VALUE, word: '' }, noFinds());
    }
  }
  return null;
}
