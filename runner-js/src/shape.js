// What a text is as a whole: statements, or one function that is to be called; and what its last
// expression is worth. Decided by a parser of JavaScript, which home sends when asked; most texts
// show by their first word that they need none.

import { BODY, Unfit, VALUE, explain } from './program.js';
import { behindTrivia, blanksFor, loneIn } from './recover.js';

const FIRST = /async\b|function\b|\(|[\p{ID_Start}$_][\p{ID_Continue}$]*\s*=>/uy;
const RETURN = 'return ';
const NEEDED = 'needs a build of errand with acorn';

// A reading may come from another thread, as a copy.
const isValue = (wrap) => wrap.open === VALUE.open;

// What a reading is run as, beside its code: the wrapper's words, and where code was put in.
const plain = ({ code, wrap }) => ({ code, wrap, inserted: null });
const call = (code) => ({ code, wrap: { open: 'return await (', close: ')();' }, inserted: null });

function load(bytes) {
  const made = { exports: {} };
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  new Function('module', 'exports', text)(made, made.exports);
  return made.exports;
}

const OPTIONS = {
  ecmaVersion: 'latest',
  sourceType: 'module',
  allowReturnOutsideFunction: true,
  preserveParens: true,
};

// A text that the parser does not know and the engine does: too new for it, or nested too deeply.
// null.
function parsed(read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
}

function peeled(expression) {
  let inner = expression;
  while (inner.type === 'ParenthesizedExpression') inner = inner.expression;
  return inner;
}

const isFunction = ({ type }) => /^(?:Arrow)?FunctionExpression$/.test(type);

function refuseGenerator(node, placeAt) {
  if (!node.generator) return;
  throw new Unfit(
    'syntax_error',
    'a lone generator function is no program: nothing takes what it yields',
    placeAt(node.start),
    'take the * away and return a value',
  );
}

// statements: all but the empty ones. The function that a text consists of, or null.
function loneStatement(code, statements, placeAt) {
  if (statements.length !== 1) return null;
  const [statement] = statements;
  if (statement.type === 'FunctionDeclaration') {
    refuseGenerator(statement, placeAt);
    const wrap = { open: '', close: `return await ${statement.id.name}();` };
    return { code, wrap, inserted: null };
  }
  if (statement.type !== 'ExpressionStatement') return null;
  const made = peeled(statement.expression);
  if (!isFunction(made)) return null;
  refuseGenerator(made, placeAt);
  const { end } = statement.expression;
  return call(code.slice(0, end) + blanksFor(code.slice(end)));
}

// A text that is an expression to begin with: what is left after `export default`, or a function
// without a name.
function loneValue(acorn, code, placeAt) {
  const tree = parsed(() => acorn.parseExpressionAt(`(\n${code}\n)`, 0, OPTIONS));
  const made = tree === null ? null : peeled(tree);
  if (made === null || !isFunction(made)) return { code, wrap: VALUE, inserted: null };
  refuseGenerator({ ...made, start: made.start - 2 }, placeAt);
  return call(code);
}

function lastValue(code, statements) {
  const last = statements[statements.length - 1];
  if (last === undefined || last.type !== 'ExpressionStatement') return null;
  const at = last.start;
  return {
    code: code.slice(0, at) + RETURN + code.slice(at),
    wrap: BODY,
    inserted: { at, length: RETURN.length },
  };
}

function mayBeFunction(text) {
  FIRST.lastIndex = behindTrivia(text, 0);
  return FIRST.test(text);
}

// Whether only a parser can tell; costs little where it need not.
export function asksParser({ code, wrap, finds }, { name, lenient, lastValue: wanted }) {
  if (finds.settled) return false;
  if (wanted) return true;
  if (!lenient) return false;
  if (isValue(wrap) || finds.exported !== null) return true;
  return mayBeFunction(code) && loneIn(code, name) !== null;
}

// The same, before anything was read: true, where it may.
export const mayAskParser = ({ text, lenient, lastValue: wanted }) =>
  wanted || (lenient && (mayBeFunction(text) || /\bexport\b/.test(text)));

function shapeWith(acorn, reading, source, placeAt) {
  const { code, wrap, finds } = reading;
  if (isValue(wrap)) return loneValue(acorn, code, placeAt);
  const tree = parsed(() => acorn.parse(code, OPTIONS));
  if (tree === null) {
    if (!source.lastValue) return plain(reading);
    const message = 'the parser that finds the last value does not know all of this syntax';
    throw new Unfit('unsupported_syntax', message, null, 'return the value');
  }
  const statements = tree.body.filter(({ type }) => type !== 'EmptyStatement');
  const exported = finds.exported !== null;
  const lone = source.lenient ? loneStatement(code, statements, placeAt) : null;
  if (lone === null && exported) throw explain(source.text, finds.exported);
  if (lone !== null) return lone;
  return (source.lastValue && lastValue(code, statements)) || plain(reading);
}

// reading: of readScript or erase. ask(name): an asset's bytes, or null. placeAt(offset): a place
// of the code in the text. Returns { code, wrap, inserted }. Throws Unfit.
export async function shapeOf(reading, source, ask, placeAt) {
  if (!asksParser(reading, source)) return plain(reading);
  const bytes = await ask('acorn');
  if (bytes !== null) return shapeWith(load(bytes), reading, source, placeAt);
  const what = source.lastValue ? 'the value of the last expression' : 'to call a lone function';
  throw new Unfit('unsupported_syntax', `${what} ${NEEDED}`, null, undefined);
}
