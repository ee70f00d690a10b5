// TypeScript to JavaScript: by node's own stripper where it is there and suffices, else by the
// compiler that home sends when asked. Throws what these throw; types.js has the words for it.

import { Script } from 'node:vm';
import { BODY, CLOSES, clampPlace, isBehind, offsetOf, placeOfError } from './program.js';
import { asGiven, blanksFor, recovered, tryScript } from './recover.js';

// A module stands alone; but its lines count as those of other texts do.
const MODULE = { open: '', close: '' };
const openingOf = (wrap) => (wrap === MODULE ? '\n' : `async function program() {${wrap.open}\n`);
const closingOf = (wrap) => (wrap === MODULE ? '' : `\n${wrap.close}}`);
// There are texts for which a parser of TypeScript takes for ever. The main thread gives up soon
// enough to hear that home has gone; the worker may take what time the run has.
const EARLY_MS = 500;
const EARLY = '$errandErase';
// The newest whose engine is known to have the setting of checkWasm().
const NODE_KNOWN = 26;
const TRANSFORM = { verbatimModuleSyntax: true, nativeClassProperties: true, noEmptyExport: true };

// Whether JavaScript and TypeScript might read the text differently: f<T>(x), f<T>`x`, and f<T>
// at the end of a line are comparisons to one and calls to the other.
export function isAmbiguous(text) {
  const at = text.indexOf('<');
  return at >= 0 && /[^=]>\s*(?:[(`]|\/[/*])|[^=]>[ \t]*\r?\n/.test(text.slice(at));
}

export const isUnsupported = (error) =>
  error.code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX' || error.code === 'UnsupportedSyntax';

// In one line, also where the parser itself broke down: over what is nested too deeply, say.
function wordsOf(error) {
  const words = String(error.message).split('\n')[0];
  const { RuntimeError } = WebAssembly;
  const broke = error.code === 'ERR_INTERNAL_ASSERTION' || error instanceof RuntimeError;
  return broke ? `the parser of TypeScript broke down over it: ${words}` : words;
}

const TAB = 4;
// As texts: to read the classes of characters takes long, and few programs have such a column.
const WIDE =
  String.raw`[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f` +
  String.raw`\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]`;
const WIDTHLESS = String.raw`[\p{Mn}\p{Me}\p{Cc}\p{Cf}]`;

// Their carets stand under what a terminal shows: the column of the text below one of those.
function columnBelow(line, shown) {
  const wide = new RegExp(WIDE, 'u');
  const widthless = new RegExp(WIDTHLESS, 'u');
  let width = 1;
  let column = 1;
  for (const c of line) {
    const none = c !== '\t' && widthless.test(c);
    if (width >= shown && !none) break;
    if (c === '\t') width += TAB - ((width - 1) % TAB);
    else if (!none) width += wide.test(c) ? 2 : 1;
    column += c.length;
  }
  return column + Math.max(0, shown - width);
}

// Under more than one line there are no carets: where the line does not show which template it is
// that has no end, the text's end has to do.
function templateAt(text, { line }) {
  const parts = (text.split('\n')[line - 1] ?? '').split('`');
  return parts.length === 2 ? { line, column: parts[0].length + 1 } : clampPlace(text, Infinity, 1);
}

// What they found wrong, in places of the text.
export function found(error, text) {
  const told = placeOfError(
    error.snippet === undefined ? error.stack : `:${error.startLine}\n${error.snippet}`,
    '',
  );
  const line = told === null ? '' : (text.split('\n')[told.line - 2] ?? '');
  const message = wordsOf(error)
    .replace(/^TypeScript /, '')
    .replace(/ is not supported in strip-only mode$/, '');
  let place =
    told === null ? null : clampPlace(text, told.line - 1, columnBelow(line, told.column));
  if (place !== null && message === 'Unterminated template') place = templateAt(text, place);
  const behind = told !== null && isBehind(text, told.line - 1);
  if (!behind || /^Unterminated/.test(message)) return { place, message, behind };
  return { place, message: error.closes ? CLOSES : 'Unexpected end of input', behind };
}

// node's own stripper, which warns that it is experimental: the program did not ask for it.
function ownStripper() {
  // Who needs no stripper does not wait for its module; and where there is one, so is this way.
  const strip = process.getBuiltinModule?.('node:module').stripTypeScriptTypes;
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

// Checking all of a compiler's functions takes longer than compiling those few that run, and these
// come with node, or under their digest. It is a setting of the engine for all threads: no program
// runs before the main thread is done here.
function checkWasm(does) {
  if (parseInt(process.versions.node, 10) > NODE_KNOWN) return;
  process
    .getBuiltinModule?.('node:v8')
    .setFlagsFromString(`--${does ? 'no-' : ''}wasm-lazy-validation`);
}

function unchecked(call) {
  checkWasm(false);
  const made = call();
  checkWasm(true);
  return made;
}

function evaluate(text, wasm) {
  const made = { exports: {}, wasm };
  const { require } = globalThis;
  new Function('module', 'exports', 'require', text)(made, made.exports, require);
  return made.exports.transformSync;
}

// bytes: the compiler's text and, from the first zero on, the WebAssembly that it runs.
export function loadCompiler(bytes) {
  const end = bytes.indexOf(0);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, end).toString('utf8');
  return evaluate(text, bytes.subarray(end));
}

// node's own stripper in half the time: reading its text, which holds 3 MB of base64, takes the
// engine as long as all the rest. There is no promise that the text is there; where it is not, or
// is another, the stripper itself will do.
function ownStripperSoon() {
  const own = ownStripper();
  if (own === null) return null;
  try {
    const text = process.binding('natives')['internal/deps/amaro/dist/index'];
    const at = text.indexOf('Buffer2.from("AGFzb');
    const word = text.indexOf('"', at) + 1;
    const end = text.indexOf('"', word);
    const after = text.indexOf(')', end) + 1;
    if (at < 0) return own;
    const wasm = Buffer.from(text.slice(word, end), 'base64');
    const unfolded = `${text.slice(0, at)}module.wasm${text.slice(after)}`;
    return stripperOf(unchecked(() => evaluate(unfolded, wasm)));
  } catch {
    checkWasm(true);
    return own;
  }
}

const stripperOf = (compiler) => (code) => compiler(code, { mode: 'strip-only' }).code;

// Statements that only import or export types are no part of a function's body, but mean nothing
// either: the parser says where one stands, and blanks take its place. One that declares what it
// exports loses its first word alone: without a semicolon, only the parser knows where it ends.
const FROM = String.raw`from\s*(?:'[^'\n]*'|"[^"\n]*")`;
const TYPES_ONLY = new RegExp(
  String.raw`^(?:export(?=\s+type\s+[^\s{*=;])|(?:` +
    String.raw`import\s+type(?=[\s{*])(?!\s*from\s*['"])[^;'"]*${FROM}|` +
    String.raw`export\s+type\s*\*[^;'"]*${FROM}|` +
    String.raw`export\s+type\s*\{[^{};'"]*\}(?:\s*${FROM})?)[ \t]*;?)`,
);
const BLANKED_MAX = 256;

// Whether the text ends the wrapper itself.
function closes(strip, text) {
  try {
    return strip(openingOf(BODY) + text) !== null;
  } catch {
    return false;
  }
}

// To what puts carets under a line, nothing has a width behind a character that begins a colour.
function withoutColour(strip, text, error) {
  if (!text.includes('\u001b')) return error;
  try {
    strip(text.replaceAll('\u001b', '\u0007'));
  } catch (other) {
    return other;
  }
  return error;
}

function stripAll(strip, given, wrap) {
  const opening = openingOf(wrap);
  const closing = closingOf(wrap);
  let text = given;
  for (let i = 0; ; i++) {
    try {
      const code = strip(opening + text + closing);
      return code.slice(opening.length, code.length - closing.length);
    } catch (caught) {
      const error = withoutColour(strip, opening + text + closing, caught);
      const { place, behind } = found(error, text);
      const at = place === null || i === BLANKED_MAX ? -1 : offsetOf(text, place);
      const statement = at < 0 ? null : TYPES_ONLY.exec(text.slice(at));
      if (statement === null) {
        error.closes = behind && closes(strip, text);
        throw Object.assign(error, { blanked: text });
      }
      text =
        text.slice(0, at) +
        statement[0].replace(/[^\n]/g, ' ') +
        text.slice(at + statement[0].length);
    }
  }
}

// What cannot be erased in place is compiled, and lines move: map finds them back.
function transformed(compiler, blanked, name, wrap) {
  const { code, map } = compiler(openingOf(wrap) + blanked + closingOf(wrap), {
    mode: 'transform',
    filename: name,
    sourceMap: true,
    transform: TRANSFORM,
  });
  if (wrap === MODULE) return { code, map };
  const body = code.slice(code.indexOf('\n') + 1, code.lastIndexOf('}'));
  if (wrap === BODY) return { code: body, map };
  return { code: body.replace(/^\s*return\b/, blanksFor).replace(/;\s*$/, blanksFor), map };
}

// compiler: its function, or null. The text without its types: { code, map, wrap, finds }, with a
// source map where lines moved, else null; or { needs } where it takes the compiler: what node's
// own stripper could not do, or null where there is none.
export function erase({ text, name, lenient, module }, compiler, own = ownStripper()) {
  if (own === null && compiler === null) return { needs: null };
  const strip = own ?? stripperOf(compiler);
  const attempt = (given, wrap) => {
    try {
      return { code: stripAll(strip, given, wrap), map: null };
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      return compiler === null
        ? { needs: error }
        : transformed(compiler, error.blanked, name, wrap);
    }
  };
  if (!lenient) return asGiven(attempt(text, module ? MODULE : BODY));
  const stumbled = (error, left) => {
    const seen = error.blanked ?? left;
    return { place: found(error, seen).place, text: seen };
  };
  return recovered(text, attempt, stumbled);
}

function eraseKept(source, kept) {
  const own = ownStripperSoon();
  const done = erase(source, null, own);
  if (done.needs === undefined) return done;
  const bytes = kept('amaro');
  if (bytes === null) return null;
  return erase(
    source,
    unchecked(() => loadCompiler(bytes)),
    own,
  );
}

// Calls back, for so long at most.
function bounded(ms, call) {
  globalThis[EARLY] = call;
  try {
    return new Script(`${EARLY}()`).runInThisContext({ timeout: ms });
  } finally {
    delete globalThis[EARLY];
  }
}

// The first erasing takes tens of milliseconds: the main thread has them while the worker starts.
// kept(name): the bytes of an asset if they are here, else null. null: there is nothing to erase,
// something is to be said about it, or it takes long.
export function eraseEarly(source, kept) {
  if (!isAmbiguous(source.text) && tryScript(source) !== null) return null;
  try {
    return bounded(EARLY_MS, () => eraseKept(source, kept));
  } catch {
    checkWasm(true); // What runs out of time gets to no end of its own.
    return null;
  }
}
