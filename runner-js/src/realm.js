// A realm of its own for a program that is to see nothing but the language (globals = pure).
//
// The runner's half that works for the program is evaluated in that realm once more, so that
// every function, promise and error that the program meets is of its own realm; node's things
// are lent to that copy by name, behind the program's back. Knows nothing of what the copy does.
//
// No vm context is a wall by itself: the place is. This one is closed as far as is known, and
// the outer realm is mended, so that an object of it that strayed would lead back inside.

import * as vm from 'node:vm';
import { evaluateIn } from './program.js';
import { listed } from './near.js';

const { Script, createContext, constants } = vm;

// What of node the runner's copy needs by name. None of it may be handed to the program.
const LENT = { __proto__: null, process, Buffer, performance, TextDecoder, TextEncoder };
const PURE = 'with globals = pure a program has';
const NAMES_MAX = 20;
const WORD_MAX = 200;

// Why that is not imported. names: of the modules that could be.
function refusal(specifier, names) {
  const some = listed(names.slice(0, NAMES_MAX), null);
  const all = names.length > NAMES_MAX ? `${some}, ...` : some;
  return names.length === 0
    ? `import is not available: ${PURE} the language and what home gave it`
    : `import of '${specifier.slice(0, WORD_MAX)}' is not available: ${PURE} no modules but ${all}`;
}

const GATHER = `({
  kinds: [
    (function () {}).constructor, (async function () {}).constructor,
    (function* () {}).constructor, (async function* () {}).constructor,
  ],
  classes: { Promise, Error, AggregateError, EvalError, RangeError, ReferenceError, SyntaxError,
    TypeError, URIError },
})`;

// What is of the outer realm says that it is of the inner one, and nothing of it leads to a
// Function that could evaluate text outside, nor to what all objects there inherit from. Nobody
// gives the errors there a setter of his own either.
function mend(inner) {
  const outer = new Script(GATHER).runInThisContext();
  const { defineProperty, setPrototypeOf, freeze, seal } = Object;
  inner.kinds.forEach((value, i) =>
    defineProperty(outer.kinds[i].prototype, 'constructor', { value, writable: false }),
  );
  for (const name of Object.keys(inner.classes)) {
    const { prototype } = outer.classes[name];
    defineProperty(prototype, 'constructor', { value: inner.classes[name], writable: false });
    setPrototypeOf(prototype, inner.classes[name].prototype);
    seal(prototype);
  }
  setPrototypeOf(Function.prototype, inner.kinds[0].prototype);
  for (const { prototype } of outer.kinds) freeze(prototype);
  seal(Object.prototype);
}

// Starts the runner again inside, which asks outer for what it cannot do there.
export function newRealm(given, outer) {
  let inner = null;
  const modules = Object.keys(given.boot.modules ?? {});
  const importModuleDynamically = (specifier) => {
    throw new inner.classes.TypeError(refusal(specifier, modules));
  };
  const context = createContext((constants || {}).DONT_CONTEXTIFY || Object.create(null), {
    name: 'program',
    codeGeneration: { strings: true, wasm: false },
    importModuleDynamically,
  });
  const run = (script) => script.runInContext(context);
  const evaluate = (text) =>
    run(new Script(text, { filename: 'errand:runner', importModuleDynamically }));
  inner = evaluate(GATHER);
  const { classes } = inner;
  evaluateIn({ run, load: importModuleDynamically, context, classes });
  // node warns once of what it calls an experiment: nobody asked for it.
  process.emitWarning = () => {};
  const names = Object.keys(LENT);
  const { source } = given;
  const bundle = evaluate(`(function (${names.join(', ')}) { 'use strict'; return ${source}\n})`);
  const start = bundle(...names.map((name) => LENT[name]));
  start(require, { ...given, outer: { ...outer, mend: () => mend(inner) } });
}
