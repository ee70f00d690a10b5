// console, process.stdout and process.stderr of the program become log entries, in their order.
//
// Formats as node's console does (depth 4, 100 entries, 10,000 characters of a string); knows
// neither frames nor the ledger: say(level, text) does.

import { Console } from 'node:console';
import { StringDecoder } from 'node:string_decoder';
import { engine } from './intrinsics.js';

const { slice, defineProperty, objectKeys } = engine;
const { nextTick } = process;
const INSPECT = { depth: 4, maxArrayLength: 100, maxStringLength: 10000, colors: false };
// Where node's own console writes to standard error, or where another level fits better.
const LEVELS = {
  __proto__: null,
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  trace: 'error',
  assert: 'error',
};

// A stream to the eye of Console: each write is one entry, without the newline that ends it.
function entryStream(onText) {
  const stream = {
    write(text) {
      onText(slice(text, 0, text.length - 1));
      return true;
    },
  };
  for (const name of ['on', 'once', 'removeListener', 'off']) stream[name] = () => stream;
  stream.listenerCount = () => 0;
  return stream;
}

export function newConsole(say) {
  let level = 'log';
  const stream = entryStream((text) => say(level, text));
  const inner = new Console({ stdout: stream, stderr: stream, inspectOptions: INSPECT });
  const outer = { __proto__: Object.getPrototypeOf(globalThis.console) };
  for (const name of objectKeys(inner)) {
    const method = inner[name];
    if (typeof method !== 'function' || name === '_stdout' || name === '_stderr') continue;
    const own = LEVELS[name] || 'log';
    const wrapped = {
      [name](...args) {
        const outerLevel = level;
        level = own;
        try {
          return engine.apply(method, inner, args);
        } finally {
          level = outerLevel;
        }
      },
    }[name];
    defineProperty(outer, name, {
      __proto__: null,
      value: wrapped,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return outer;
}

// Texts written to stream become entries of that level. Bytes of a character that is cut between
// two writes wait for the rest; flush() says what never came.
export function captureStream(stream, level, say) {
  const decoder = new StringDecoder('utf8');
  const decode = StringDecoder.prototype.write;
  const finish = StringDecoder.prototype.end;
  const tell = (text) => {
    if (text.length > 0) say(level, text);
  };
  const write = (chunk, encoding, callback) => {
    const done = typeof encoding === 'function' ? encoding : callback;
    if (
      typeof chunk === 'string' &&
      typeof encoding === 'string' &&
      encoding !== 'utf8' &&
      encoding !== 'utf-8'
    ) {
      tell(engine.apply(decode, decoder, [engine.bufferFrom(chunk, encoding)]));
    } else if (typeof chunk === 'string') {
      tell(engine.apply(finish, decoder, []) + chunk);
    } else if (ArrayBuffer.isView(chunk)) {
      tell(engine.apply(decode, decoder, [chunk]));
    } else {
      throw new engine.TypeError('The "chunk" argument must be a string or bytes');
    }
    if (typeof done === 'function') nextTick(done, null);
    return true;
  };
  defineProperty(stream, 'write', {
    __proto__: null,
    value: write,
    writable: true,
    configurable: true,
  });
  return { flush: () => tell(engine.apply(finish, decoder, [])) };
}
