// Open questions to home and the promises that wait for the answers.
//
// Uses saved intrinsics alone once the program runs.

import { isPromise } from 'node:util/types';
import { engine, list, reserve } from './intrinsics.js';
import { newSpace, putBare, shownAs } from './tools.js';
import { newFinder } from './search.js';
import { member } from './near.js';

const {
  defineProperty,
  setPrototypeOf,
  create,
  freeze,
  parse,
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

// What takes the place of a text, or of a value, that did not come to be.
const newRefusal = (code, message) => ({ __proto__: null, refused: { message, code } });

// outlet: where call frames go. payloads: how values travel. hold(true) keeps the thread's event
// loop alive, hold(false) ends that. Returns { spaces: { name: object }, errors: { name: class },
// answer, open }.
export function newCalls(boot, outlet, payloads, hold) {
  const { limits, values } = boot;
  const { noun } = payloads;
  const waiting = new Map();
  let last = 0;
  let open = 0;

  const full = () => {
    if (last >= limits.calls) return `the limit of calls is ${limits.calls}`;
    return `${open} calls wait for an answer already; the limit is ${limits.calls_open}`;
  };

  const nameOf = (space, name) => (space.bare ? name : `${space.name}.${name}`);

  const unfit = (space, name, error) => {
    const message = `the argument of ${nameOf(space, name)} is no ${noun}: ${error.message}`;
    return newRefusal('invalid_tool_arguments', message);
  };

  const tooLarge = (bytes) => {
    const message = `the argument is ${bytes} bytes long; the limit is ${limits.frame_bytes}`;
    return newRefusal('value_too_large', message);
  };

  const read = async (space, name, parts) => {
    try {
      const text = payloads.fill(parts);
      defineProperty(text, 'constructor', OWN_PROMISE);
      return await text;
    } catch (error) {
      return unfit(space, name, error);
    }
  };

  // The text of an argument, a refusal, or the promise of one of them, where bytes are to be read.
  const textOf = (space, name, arg) => {
    let text;
    try {
      text = payloads.toText(arg);
    } catch (error) {
      return unfit(space, name, error);
    }
    if (typeof text !== 'object') return text;
    const bytes = payloads.measure(text);
    if (bytes > limits.frame_bytes) return tooLarge(bytes);
    const reading = read(space, name, text);
    defineProperty(reading, 'constructor', OWN_PROMISE);
    return reading;
  };

  // Sends a call. Returns the promise of its answer, or { refused: what is wrong }.
  const send = (space, index, name, text) => {
    if (typeof text === 'object') return text;
    reserve();
    const bytes = text === undefined ? 0 : byteLength(text);
    if (bytes > limits.frame_bytes) return tooLarge(bytes);
    if (last >= limits.calls || open >= limits.calls_open)
      return newRefusal('too_many_calls', full());
    const id = ++last;
    if (open++ === 0) hold(true);
    const asked = new Promise((resolve) =>
      mapSet(waiting, id, { __proto__: null, resolve, space, name }),
    );
    defineProperty(asked, 'constructor', OWN_PROMISE);
    outlet.write(`call ${id} ${space.index} ${index}`, text, bytes);
    return { asked };
  };

  // The value that came, or the error object of home, of which the data alone is the tool's.
  const take = (space, name, { ok, text }) => {
    try {
      if (ok) return { ok, value: text === '' ? undefined : payloads.fromText(text) };
      const value = setPrototypeOf(parse(text), null);
      if (value.data !== undefined) value.data = payloads.reviveData(value.data);
      return { ok, value };
    } catch (error) {
      const message = `the answer of ${nameOf(space, name)} is no ${noun}: ${error.message}`;
      return { ok: false, value: newRefusal('bad_reply', message).refused };
    }
  };

  // An error that is made in an async function after its await names the place that awaits it.
  const ask = async (space, index, name, arg) => {
    let text = textOf(space, name, arg);
    if (isPromise(text)) text = await text;
    const { asked, refused } = send(space, index, name, text);
    if (refused !== undefined) {
      if (refused.code === 'invalid_tool_arguments') throw new TypeError(refused.message);
      throw newToolError(space, name, refused);
    }
    const { ok, value } = take(space, name, await asked);
    if (ok) return value;
    throw newToolError(space, name, value);
  };

  const askForValue = async (space, index, name, arg) => {
    let text = textOf(space, name, arg);
    if (isPromise(text)) text = await text;
    const { asked, refused } = send(space, index, name, text);
    if (refused !== undefined) return newFailure(refused);
    const { ok, value } = take(space, name, await asked);
    if (ok) return value === undefined ? { ok: true } : { ok: true, data: value };
    if (value.code === 'internal') throw newToolError(space, name, value);
    return newFailure(value);
  };

  // undefined has no word in JSON, and an array no gaps.
  const filled = (args) => {
    if (values === 'rich') return args;
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
