// Open questions to home and the promises that wait for the answers.
//
// Uses saved intrinsics alone once the program runs.

import { engine, list } from './intrinsics.js';
import { fromText, toText } from './values.js';
import { newSpace, putBare, shownAs } from './tools.js';
import { newFinder } from './search.js';
import { member } from './near.js';

const {
  defineProperty,
  setPrototypeOf,
  create,
  freeze,
  mapGet,
  mapSet,
  mapDelete,
  mapForEach,
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

const OPEN_NAMED = 3;

const toolErrors = new WeakSet();

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

// What the program gets in place of that error where failures are values.
function newFailure({ message, code, data }) {
  const error = {
    code: typeof code === 'string' ? code : 'tool_error',
    message: typeof message === 'string' ? message : 'the call failed',
  };
  if (data === undefined) return { ok: false, error };
  if (typeof data === 'object' && data !== null) {
    const { status, retryable } = data;
    if (typeof status === 'number') error.status = status;
    if (typeof retryable === 'boolean') error.retryable = retryable;
  }
  error.details = data;
  return { ok: false, error };
}

// outlet: where call frames go. hold(true) keeps the thread's event loop alive, hold(false) ends
// that. Returns { spaces: { name: object }, errors: { name: class }, answer, open }.
export function newCalls(boot, outlet, hold) {
  const strict = boot.values !== 'json';
  const noun = strict ? 'lossless JSON' : 'JSON';
  const limits = boot.limits;
  const waiting = new Map();
  let last = 0;
  let open = 0;

  const full = () => {
    if (last >= limits.calls) return `the limit of calls is ${limits.calls}`;
    return `${open} calls wait for an answer already; the limit is ${limits.calls_open}`;
  };

  // Sends a call. Returns the promise of its answer, or { refused: what is wrong }.
  const send = (space, index, name, arg) => {
    let text;
    try {
      text = toText(arg, strict);
    } catch (error) {
      const of = space.bare ? name : `${space.name}.${name}`;
      const message = `the argument of ${of} is no ${noun}: ${error.message}`;
      return { refused: { message, code: 'invalid_tool_arguments' } };
    }
    const bytes = text === undefined ? 0 : byteLength(text);
    if (bytes > limits.frame_bytes) {
      const message = `the argument is ${bytes} bytes long; the limit is ${limits.frame_bytes}`;
      return { refused: { message, code: 'value_too_large' } };
    }
    if (last >= limits.calls || open >= limits.calls_open)
      return { refused: { message: full(), code: 'too_many_calls' } };
    const id = ++last;
    if (open++ === 0) hold(true);
    const asked = new Promise((resolve) =>
      mapSet(waiting, id, { __proto__: null, resolve, space, name }),
    );
    defineProperty(asked, 'constructor', OWN_PROMISE);
    outlet.write(`call ${id} ${space.index} ${index}`, text, bytes);
    return { asked };
  };

  // An error that is made in an async function after its await names the place that awaits it.
  const ask = async (space, index, name, arg) => {
    const { asked, refused } = send(space, index, name, arg);
    if (refused !== undefined) {
      if (refused.code === 'invalid_tool_arguments') throw new TypeError(refused.message);
      throw newToolError(space, name, refused);
    }
    const reply = await asked;
    const value = reply.text === '' ? undefined : fromText(reply.text);
    if (reply.ok) return value;
    throw newToolError(space, name, setPrototypeOf(value, null));
  };

  const askForValue = async (space, index, name, arg) => {
    const { asked, refused } = send(space, index, name, arg);
    if (refused !== undefined) return newFailure(refused);
    const reply = await asked;
    const value = reply.text === '' ? undefined : fromText(reply.text);
    if (reply.ok) return value === undefined ? { ok: true } : { ok: true, data: value };
    setPrototypeOf(value, null);
    if (value.code === 'internal') throw newToolError(space, name, value);
    return newFailure(value);
  };

  // undefined has no word in JSON, and an array no gaps.
  const filled = (args) => {
    for (let i = 0; i < args.length; i++) if (args[i] === undefined) args[i] = null;
    return args;
  };

  const newAsker = (told, space, k) => {
    const name = told.functions[k];
    const shown = shownAs(name);
    const how = told.failures === 'value' ? askForValue : ask;
    if (!told.spread) return { [shown]: (arg) => how(space, k, name, arg) }[shown];
    return { [shown]: (...args) => how(space, k, name, filled(args)) }[shown];
  };

  const errors = create(null);
  const spaces = create(null);
  const bare = create(null);
  for (let i = 0; i < boot.spaces.length; i++) {
    const told = boot.spaces[i];
    errors[told.error] = errors[told.error] || newErrorClass(told.error);
    const Failure = errors[told.error];
    const space = { index: i, name: told.name, member: told.member, bare: told.bare, Failure };
    const askers = told.functions.map((_, k) => newAsker(told, space, k));
    const refuse = (name, message) =>
      newToolError(space, name, { message, code: 'invalid_tool_arguments' });
    if (told.bare) putBare(told, askers, bare);
    else
      Object.assign(
        spaces,
        newSpace(told, askers, (facts) => newFinder(told, facts, refuse)),
      );
  }
  for (const name of Object.keys(bare))
    spaces[name] = typeof bare[name] === 'function' ? bare[name] : freeze(bare[name]);

  return {
    spaces,
    errors,
    answer(id, ok, text) {
      const call = mapGet(waiting, id);
      if (call === undefined) return;
      mapDelete(waiting, id);
      if (--open === 0) hold(false);
      // Without a prototype, so that no inherited `then` is asked for.
      call.resolve(setPrototypeOf({ ok, text }, null));
    },
    // What the program calls those that have no answer yet, a few of them.
    open() {
      const names = list();
      mapForEach(waiting, ({ space, name }) => {
        if (names.length < OPEN_NAMED)
          names[names.length] = space.bare ? name : space.name + member(shownAs(name));
      });
      return { __proto__: null, count: open, names };
    },
  };
}
