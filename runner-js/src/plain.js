// What a program with globals = pure has of what node gives to others: a console of strings, and
// a signal. Made in the program's realm; knows nothing of node.

import { engine, list } from './intrinsics.js';

const { Error, String, TypeError, stringify, defineProperty, freeze, create, apply } = engine;
const LEVELS = {
  __proto__: null,
  debug: 'debug',
  log: 'log',
  info: 'info',
  dir: 'log',
  warn: 'warn',
  error: 'error',
  trace: 'error',
};

// A value in words: a string as it is, an error as its stack, all else as JSON, or as String has
// it where it has none.
export function wordsOf(value) {
  if (typeof value === 'string') return value;
  try {
    if (value instanceof Error && typeof value.stack === 'string') return value.stack;
    const text = stringify(value);
    if (typeof text === 'string') return text;
  } catch {
    // No JSON: a cycle, a BigInt, a toJSON that throws.
  }
  return String(value);
}

function line(values) {
  let text = '';
  for (let i = 0; i < values.length; i++) text += (i > 0 ? ' ' : '') + wordsOf(values[i]);
  return text;
}

// say(level, text): an entry of the log.
export function newPlainConsole(say) {
  const made = {};
  for (const name of engine.objectKeys(LEVELS)) {
    made[name] = { [name]: (...values) => say(LEVELS[name], line(values)) }[name];
  }
  made.assert = (held, ...values) => {
    if (!held) say('error', `Assertion failed${values.length > 0 ? `: ${line(values)}` : ''}`);
  };
  return made;
}

// What an AbortSignal is to who asks it: { signal, fire }.
export function newPlainSignal() {
  const heard = list();
  let count = 0;
  let aborted = false;
  let reason;
  const signal = create(null);
  const define = (name, get) => defineProperty(signal, name, { __proto__: null, get });
  const give = (name, value) => defineProperty(signal, name, { __proto__: null, value });
  define('aborted', () => aborted);
  define('reason', () => reason);
  give('throwIfAborted', () => {
    if (aborted) throw reason;
  });
  give('addEventListener', (type, call) => {
    if (typeof call !== 'function') throw new TypeError('the listener is no function');
    if (type === 'abort') heard[count++] = call;
  });
  give('removeEventListener', (type, call) => {
    for (let i = 0; i < count; i++) if (heard[i] === call) heard[i] = null;
  });
  freeze(signal);
  const fire = () => {
    if (aborted) return;
    aborted = true;
    reason = new Error('This operation was aborted');
    defineProperty(reason, 'name', { __proto__: null, value: 'AbortError' });
    const event = freeze({ __proto__: null, type: 'abort' });
    for (let i = 0; i < count; i++) if (heard[i] !== null) apply(heard[i], signal, [event]);
  };
  return { signal, fire };
}
