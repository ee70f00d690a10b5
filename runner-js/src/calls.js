// Open questions to home and the promises that wait for the answers.
//
// A namespace is a frozen object without a prototype, with a function of its own for each name
// that boot listed, whatever the name; `then` alone is renamed, so that no namespace is thenable.
// Uses saved intrinsics alone once the program runs.

import { engine } from './intrinsics.js';
import { fromText, toText } from './values.js';

const {
  defineProperty,
  setPrototypeOf,
  create,
  freeze,
  mapGet,
  mapSet,
  mapDelete,
  weakAdd,
  weakHas,
  byteLength,
  Map,
  WeakSet,
  Promise,
  Error,
  TypeError,
} = engine;
const OWN_PROMISE = { __proto__: null, value: Promise, configurable: true };

const toolErrors = new WeakSet();

// What the program calls a function.
export const shownAs = (name) => (name === 'then' ? 'then_' : name);

// Whether the error came from a call, be it from home or from what this module refused.
export function isToolError(error) {
  return typeof error === 'object' && error !== null && weakHas(toolErrors, error);
}

// With a constructor of its own: older engines make an implicit one pass its arguments on by
// Array.prototype[Symbol.iterator], which is the program's to break.
function newErrorClass(name) {
  const made = {
    [name]: class extends Error {
      constructor(message, options) {
        super(message, options);
      }
    },
  }[name];
  defineProperty(made.prototype, 'name', {
    __proto__: null,
    value: name,
    writable: true,
    configurable: true,
  });
  return made;
}

function setOwn(object, name, value) {
  defineProperty(object, name, {
    __proto__: null,
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

// The error that a call rejects with: what says what went wrong, as home told it.
function newToolError(space, name, told) {
  const error = new space.Failure(
    typeof told.message === 'string' ? told.message : 'the call failed',
  );
  if (typeof told.name === 'string') {
    defineProperty(error, 'name', {
      __proto__: null,
      value: told.name,
      writable: true,
      configurable: true,
    });
  }
  setOwn(error, space.member, name);
  if (told.code !== undefined) setOwn(error, 'code', told.code);
  if (told.data !== undefined) setOwn(error, 'data', told.data);
  weakAdd(toolErrors, error);
  return error;
}

// outlet: where call frames go. hold(true) keeps the thread's event loop alive, hold(false) ends
// that. Returns { spaces: { name: object }, errors: { name: class }, answer }.
export function newCalls(boot, outlet, hold) {
  const strict = boot.values !== 'json';
  const noun = strict ? 'lossless JSON' : 'JSON';
  const limits = boot.limits;
  const waiting = new Map();
  let last = 0;
  let open = 0;

  const refuse = (space, name, code, message) => newToolError(space, name, { message, code });

  // An error that is made in an async function after its await names the place that awaits it.
  const ask = async (space, index, name, arg) => {
    let text;
    try {
      text = toText(arg, strict);
    } catch (error) {
      throw new TypeError(`the argument of ${space.name}.${name} is no ${noun}: ${error.message}`);
    }
    const bytes = text === undefined ? 0 : byteLength(text);
    if (bytes > limits.frame_bytes) {
      throw refuse(
        space,
        name,
        'value_too_large',
        `the argument is ${bytes} bytes long; the limit is ${limits.frame_bytes}`,
      );
    }
    if (last >= limits.calls)
      throw refuse(space, name, 'too_many_calls', `the limit of calls is ${limits.calls}`);
    if (open >= limits.calls_open) {
      throw refuse(
        space,
        name,
        'too_many_calls',
        `${open} calls wait for an answer already; the limit is ${limits.calls_open}`,
      );
    }
    const id = ++last;
    if (open++ === 0) hold(true);
    const asked = new Promise((resolve) => mapSet(waiting, id, resolve));
    defineProperty(asked, 'constructor', OWN_PROMISE);
    outlet.write(`call ${id} ${space.index} ${index}`, text, bytes);
    const reply = await asked;
    const value = reply.text === '' ? undefined : fromText(reply.text);
    if (reply.ok) return value;
    throw newToolError(space, name, value);
  };

  const errors = create(null);
  const spaces = create(null);
  for (let i = 0; i < boot.spaces.length; i++) {
    const told = boot.spaces[i];
    errors[told.error] = errors[told.error] || newErrorClass(told.error);
    const space = { index: i, name: told.name, member: told.member, Failure: errors[told.error] };
    const object = create(null);
    for (let k = 0; k < told.functions.length; k++) {
      const name = told.functions[k];
      const shown = shownAs(name);
      const asker = { [shown]: (arg) => ask(space, k, name, arg) }[shown];
      defineProperty(object, shown, { __proto__: null, value: asker, enumerable: true });
    }
    spaces[told.name] = freeze(object);
  }

  return {
    spaces,
    errors,
    answer(id, ok, text) {
      const resolve = mapGet(waiting, id);
      if (resolve === undefined) return;
      mapDelete(waiting, id);
      if (--open === 0) hold(false);
      // Without a prototype, so that no inherited `then` is asked for.
      resolve(setPrototypeOf({ ok, text }, null));
    },
  };
}
