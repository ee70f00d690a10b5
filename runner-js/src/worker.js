// The worker thread: makes the program's surroundings, runs it, and finds out how it ended.
//
// From the moment that the program runs, everything here is written against a hostile realm.

import { alone, engine, follow } from './intrinsics.js';
import { newOutlet } from './outlet.js';
import { figure as F } from './link.js';
import { newConsole, captureStream } from './console.js';
import { newCalls } from './calls.js';
import { newItems } from './items.js';
import { newStore } from './store.js';
import { newGauge } from './gauge.js';
import { newEnding } from './ending.js';
import { newEntries } from './entries.js';
import { newPayloads } from './payloads.js';
import { giveInput } from './input.js';
import { describeSyntax, describeThrown } from './errors.js';
import { cleanStacks } from './stacks.js';
import { Unfit } from './program.js';
import { prepare } from './types.js';
import { refuseNetwork } from './network.js';
import { newRealm } from './realm.js';
import { dropForeign, freezeRealm } from './frozen.js';
import { newPlainConsole, newPlainSignal } from './plain.js';

const { byteLength, isArray, setPrototypeOf, defineProperty, min } = engine;
const LONG = 1 << 20;
const decoder = new TextDecoder();
const decode = decoder.decode.bind(decoder);

// given.outer: this is the program's own realm, and that is what the outer one still does for it.
export function start(given) {
  const { boot, memory, port } = given;
  if (alone) {
    dropForeign();
  } else {
    const { prototype } = globalThis.MessagePort;
    Object.assign(process.env, boot.env);
    for (const name of ['postMessage', 'ref', 'unref']) port[name] = prototype[name];
    if (boot.globals === 'pure') return newRealm(given, { prepare, Unfit });
  }
  const outlet = newOutlet(memory, () => port.postMessage(0));
  return newRun(boot, port, outlet, given.outer ?? { prepare, Unfit }).begin();
}

function newRun(boot, port, outlet, outer) {
  const { limits, spaces } = boot;
  const source = { name: boot.name, place: null, moved: [], missing: null };
  const { figures } = outlet;
  const kept = newStore(boot);
  let reading = 0;
  let returned = null; // What the program did, while what it shows is still being read.
  let stopping = null;
  let abort = null;
  let streams = [];
  let concluding = false;

  const gauge = newGauge(figures);
  const ending = newEnding(limits.output_bytes, outlet, gauge, kept, () => port.postMessage(1));
  const { fail, cancelled, failOver } = ending;
  const { say, show: showItem } = newEntries(limits.output_bytes, outlet, failOver);

  // The value as its text, or with quote as the string that it is.
  const conclude = (text, quote) => {
    const bytes = quote ? outlet.measure(text) : text === undefined ? 0 : byteLength(text);
    if (figures[F.METERED] + bytes > limits.output_bytes) return failOver();
    return ending.succeed(text, bytes, quote);
  };

  const finish = (value) => {
    for (let i = 0; i < streams.length; i++) streams[i].flush();
    if (stopping !== null) return cancelled();
    const unfit = (error) =>
      fail({
        kind: 'invalid-output',
        code: 'invalid_output',
        message: `the program's result is no ${payloads.noun}: ${error.message}`,
      });
    // A long string becomes JSON while it is written.
    const quote = typeof value === 'string' && value.length > LONG;
    let text;
    try {
      text = quote ? value : payloads.toText(value);
    } catch (error) {
      return unfit(error);
    }
    if (typeof text !== 'object') return conclude(text, quote);
    if (figures[F.METERED] + payloads.measure(text) > limits.output_bytes) return failOver();
    concluding = true;
    const filled = (whole) => (stopping !== null ? cancelled() : conclude(whole, false));
    return follow(payloads.fill(text), filled, unfit);
  };

  const finishRead = (value) => {
    if (reading > 0) returned = { value };
    else finish(value);
  };

  const items = newItems(showItem, (count) => {
    reading += count;
    if (reading === 0 && returned !== null) finish(returned.value);
  });

  // What goes wrong behind a result that is being read changes nothing.
  const threw = (error, unawaited = false) => {
    if (concluding) return undefined;
    for (let i = 0; i < streams.length; i++) streams[i].flush();
    if (stopping !== null) return cancelled();
    return fail(describeThrown(error, source, spaces, calls.open, unawaited));
  };

  // What keeps the loop alive: open calls, and Blobs that are being read.
  let holds = 0;
  const hold = (held) => {
    holds += held ? 1 : -1;
    if (holds === 0) port.unref();
    else port.ref();
  };

  const payloads = newPayloads(boot.values, hold);
  const calls = newCalls(boot, outlet, payloads, hold);

  const stop = () => {
    stopping = true;
    if (abort !== null) abort.abort();
  };

  // The bytes of an optional part of the runner, or null. Asked for before the program runs.
  const asked = { __proto__: null };
  const ask = (name) =>
    new Promise((resolve) => {
      asked[name] = resolve;
      port.postMessage({ need: name });
    });

  let erased = null;
  const early = new Promise((resolve) => {
    erased = resolve;
  });

  // What the program puts on a prototype is no part of any message.
  const hearWord = (message) => {
    const { stop: stops, early: made, asset, name } = setPrototypeOf(message, null);
    if (stops) stop();
    else if (made !== undefined) erased(made);
    else if (asset !== undefined && asked[name] !== undefined) asked[name](asset);
  };

  const hear = (message) => {
    if (!isArray(message)) return hearWord(message);
    for (let i = 0; i < message.length; i += 3) {
      const text = message[i + 2];
      calls.answer(message[i], message[i + 1], typeof text === 'string' ? text : decode(text));
    }
    gauge.look();
    return undefined;
  };

  const surround = () => {
    const show = (name, value) =>
      defineProperty(globalThis, name, {
        __proto__: null,
        value,
        writable: true,
        configurable: true,
      });
    for (const name of Object.keys(calls.spaces)) show(name, calls.spaces[name]);
    for (const name of Object.keys(calls.errors)) show(name, calls.errors[name]);
    for (const name of ['text', 'image', 'emit', 'file']) show(name, items[name]);
    show('store', kept.store);
    show('load', kept.load);
    // Nothing behind it runs: no catch, no finally, and nothing that it may show.
    show('exit', { exit: () => finish(undefined) }.exit);
    if (alone) surroundPlain(show);
    else surroundByNode(show);
    cleanStacks(source);
    watchProcess();
    if (alone) {
      outer.mend();
      freezeRealm();
    }
    giveInput(boot.input, payloads);
  };

  const surroundPlain = (show) => {
    const { signal, fire } = newPlainSignal();
    show('console', newPlainConsole(say));
    show('signal', signal);
    abort = { abort: fire };
    if (stopping !== null) fire();
  };

  const surroundByNode = (show) => {
    show('console', newConsole(say));
    streams = [
      captureStream(process.stdout, 'stdout', say),
      captureStream(process.stderr, 'stderr', say),
    ];
    defineProperty(globalThis, 'signal', {
      __proto__: null,
      configurable: true,
      get: () => {
        if (abort === null) {
          abort = new AbortController();
          if (stopping !== null) abort.abort();
        }
        return abort.signal;
      },
      set: (value) => show('signal', value),
    });
    holdTimeouts();
    process.execArgv.length = 0;
    if (boot.network === 'off') refuseNetwork();
  };

  const watchProcess = () => {
    process.on('uncaughtException', (error) => {
      if (process.listenerCount('uncaughtException') === 1) threw(error);
    });
    process.on('unhandledRejection', (reason) => {
      if (process.listenerCount('unhandledRejection') === 1) threw(reason, true);
    });
    process.on('beforeExit', () =>
      fail({
        kind: 'exception',
        code: 'stalled',
        message: 'the program waits for what can never come: no call, no timer, nothing is pending',
      }),
    );
  };

  const check = async (look) => {
    try {
      await look();
    } catch (error) {
      return threw(error);
    }
    return ending.succeed(undefined, 0, false);
  };

  const begin = async () => {
    port.on('message', hear);
    let ready;
    try {
      ready = await outer.prepare(boot, ask, () => early);
    } catch (error) {
      if (!(error instanceof outer.Unfit)) throw error;
      return fail(describeSyntax(error, boot.name));
    }
    source.place = ready.place;
    source.moved = ready.moved;
    source.missing = ready.missing;
    if (boot.check) return check(ready.look);
    surround();
    port.unref();
    outlet.awaitWatch();
    gauge.begin();
    const { main } = ready;
    follow(main(), finishRead, threw);
    return undefined;
  };

  return { begin };
}

// The timer behind AbortSignal.timeout does not keep the loop alive, so that a program that waits
// for one would look stalled.
function holdTimeouts() {
  const { timeout } = AbortSignal;
  const { setTimeout } = globalThis;
  const held = {
    timeout(ms) {
      const signal = engine.apply(timeout, AbortSignal, [ms]);
      setTimeout(() => {}, min(ms, 2147483647));
      return signal;
    },
  }.timeout;
  defineProperty(AbortSignal, 'timeout', {
    __proto__: null,
    value: held,
    writable: true,
    configurable: true,
    enumerable: true,
  });
}
