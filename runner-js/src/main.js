// The main thread: talks to home, watches over the worker, and never blocks. What has to be said
// before anything else, opening.js has said.
//
// Everything that ends the process passes through end() or leave(): first what the worker wrote,
// then the last words, then the whole group.

import { figure as F } from './link.js';
import { newInlet } from './inlet.js';
import { frame, newReader } from './wire.js';
import { newSegments } from './segments.js';
import { openSource, openSink } from './pipes.js';
import { clear, leave } from './leave.js';
import { factsOf } from './descendants.js';
import { OPENING_BYTES, overText } from './ledger.js';
import { newAssets } from './cache.js';
import { newVitals } from './vitals.js';
import { describeFallen } from './stacks.js';
import { now } from './intrinsics.js';

const HOME_IN = 3;
const HOME_OUT = 4;
const TICK_MS = 25;
const TORN_MS = 1000;
// How long the last words may take, and who was killed may take to be gone.
const PART_MS = 500;
const NAMED_MOST = 8;
const STOP_EARLY_MS = 100;
const MIB = 1 << 20;
const OFF = 2 ** 53;
// A payload longer than this changes hands without being copied.
const MOVE_BYTES = 64 << 10;

// opened: what opening.js made.
export function start(given, opened) {
  const { boot, group, hello, memory } = opened;
  const gone = () => leave(group, given.thread, given.mark);
  const die = () => leave(group, given.thread, given.mark, 'SIGTERM');
  const sink = newSegments(openSink(HOME_OUT, gone), given.mark, hello);
  if (boot.segments > 0) sink.begin(boot.segments);
  const inlet = newInlet(memory, sink);
  const say = (header, value) => inlet.insert(frame(header, value));

  const supervisor = newSupervisor({ given, opened, inlet, sink, say, gone, die });
  process.on('uncaughtException', supervisor.broken);
  const reader = newReader(OFF, supervisor.hear);
  const feed = (bytes) => {
    try {
      reader.feed(bytes);
    } catch (error) {
      supervisor.broken(error);
    }
    supervisor.pass();
  };
  openSource(HOME_IN, feed, gone);
  inlet.watch();
}

// Hands on the answers of one read together.
function newAnswers(port) {
  let batch = [];
  let moved = [];
  return {
    add(words, payload) {
      let text;
      if (payload.length > MOVE_BYTES) {
        text = new Uint8Array(payload);
        moved.push(text.buffer);
      } else {
        text = payload.utf8Slice(0, payload.length);
      }
      batch.push(Number(words[1]), words[2] === 'ok', text);
    },
    pass() {
      if (batch.length === 0) return;
      // A list of what to move costs, even an empty one.
      if (moved.length > 0) port.postMessage(batch, moved);
      else port.postMessage(batch);
      batch = [];
      moved = [];
    },
  };
}

// What is wrong with the surroundings rather than with the runner, in words of use.
function causeOf(text) {
  if (text.includes('uv_cwd')) return 'the folder in which it was started is deleted';
  if (text.includes('EMFILE')) return 'too few files may be open at once there (ulimit -n)';
  return undefined;
}

// As a word of a header.
const wordOf = (name) => name.replace(/[^!-~]/g, '?').slice(0, 64) || '?';

function newSupervisor({ given, opened, inlet, sink, say, gone, die }) {
  const { figures } = inlet;
  const { port, boot, cache, lacking } = opened;
  const { limits } = boot;
  const vitals = newVitals(inlet, [HOME_IN, HOME_OUT]);
  const assets = newAssets(boot.assets, cache, say, (name, asset) =>
    port.postMessage({ asset, name }),
  );
  const worker = given.thread;
  let ended = false;
  let exited = false;
  let heard = now();
  const answers = newAnswers(port);

  // Kills what the program left, names to home whom its own kill of the group may not reach, and
  // goes once that was taken.
  let parting = false;
  const part = (go) => {
    if (parting) return;
    parting = ended = true;
    inlet.close();
    const strays = clear(worker, given.mark);
    for (const { pid, name } of strays.slice(0, NAMED_MOST))
      say(`left ${strays.length} ${pid} ${wordOf(name)}`);
    const until = now() + PART_MS;
    const look = () => {
      const told = inlet.idle() && sink.empty() && !strays.some(({ pid }) => factsOf(pid));
      if (strays.length === 0 || told || now() > until) return go();
      return setTimeout(look, 1);
    };
    look();
  };

  // Leaves once all that was said has been taken.
  const depart = (tornSince) => {
    inlet.close();
    inlet.drain();
    if (inlet.idle() && sink.empty()) return part(gone);
    const torn = inlet.torn() ? (tornSince ?? now()) : undefined;
    // The worker fell, or stands still, in the middle of a frame: nothing can be said any more.
    if (torn !== undefined && (exited || now() - torn > TORN_MS)) return gone();
    return setTimeout(depart, 1, torn);
  };

  const fail = (told) => {
    if (!inlet.claimEnd()) return;
    ended = true;
    const text = JSON.stringify(told.stack ?? told.message);
    const used = figures[F.METERED] || OPENING_BYTES;
    const over = used + Buffer.byteLength(text) > limits.output_bytes;
    inlet.close();
    say('stats', vitals.stats());
    say(
      'done error',
      over
        ? { kind: 'output-limit', code: 'output_limit', message: overText(limits.output_bytes) }
        : told,
    );
    depart();
  };

  const broken = (error) => {
    const cause = causeOf(String(error && error.message));
    if (cause !== undefined) {
      const message = `the runner can't work: ${cause}`;
      return fail({ kind: 'worker-exit', code: 'runner_broken', message });
    }
    return fail({
      kind: 'worker-exit',
      code: 'runner_broken',
      message: `the runner broke: ${error && error.message}`,
      stack: String((error && error.stack) || error),
    });
  };

  const outOfMemory = (which, limit) =>
    fail({
      kind: 'worker-exit',
      code: 'out_of_memory',
      limit,
      message: `out of memory: over the ${which} limit of ${limits[limit]} MiB`,
    });

  const early = (message, more) =>
    fail({ kind: 'worker-exit', code: 'exited_early', message, ...more });

  // The worker has gone. With its last words in the link, these count.
  const onExit = (code) => {
    exited = true;
    vitals.watch(null);
    if (ended || inlet.ending()) return depart();
    return early(`worker exited with code ${code} before completing`, { exit_code: code });
  };

  // What the worker could not handle itself: the program took its handlers away, or it never began.
  const onError = (error) => {
    if (error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') return outOfMemory('heap', 'heap_mb');
    if (figures[F.BEGUN] === 0) return broken(error);
    return fail(describeFallen(error, boot.name));
  };

  const tick = () => {
    if (limits.lease_ms > 0 && now() - heard > limits.lease_ms) gone();
    if (ended) return;
    inlet.drain();
    if (!vitals.isIntact(HOME_OUT)) gone();
    if (!vitals.isIntact(HOME_IN)) early("the program closed the runner's descriptors");
    else if (vitals.rss() > limits.rss_mb * MIB) outOfMemory('resident', 'rss_mb');
    else if (vitals.computeMs() > limits.compute_ms) {
      fail({
        kind: 'timeout',
        code: 'compute_timeout',
        message: `compute budget exhausted (${limits.compute_ms}ms busy)`,
      });
    }
  };

  const fromWorker = (message) => {
    if (message === 0) return inlet.drain();
    if (message === 1) {
      ended = true;
      return depart();
    }
    return message && message.need ? assets.need(message.need) : undefined;
  };

  const stop = (graceMs) => {
    if (graceMs === 0) return part(gone);
    port.postMessage({ stop: true });
    // Home has its own clock, behind which nobody may be heard any more.
    const early = Math.min(graceMs / 4, STOP_EARLY_MS);
    return setTimeout(part, Math.min(graceMs - early, 2 ** 31 - 1), gone);
  };

  worker.stdout.resume();
  worker.stderr.resume();
  worker.on('error', onError).on('exit', onExit);
  vitals.watch(worker);
  process.on('SIGTERM', () => part(die));
  port.on('message', fromWorker);
  setInterval(tick, TICK_MS);
  lacking.forEach(assets.ask);

  const frames = {
    __proto__: null,
    reply: (words, payload) => answers.add(words, payload),
    stop: (words) => stop(Number(words[1])),
    ping: (words) => say(`beat ${words[1]}`),
    asset: (words, payload) => assets.arrive(words[1], payload),
    seg: (words, payload) => sink.seg(Number(words[1]), payload, pieces.feed),
    ack: (words) => sink.ack(Number(words[1])),
    resume: (words) => sink.resume(Number(words[1]), Number(words[2])),
  };
  const hear = (words, payload) => {
    heard = now();
    frames[words[0]](words, payload);
  };
  const pieces = newReader(OFF, hear);

  return { broken, hear, pass: answers.pass };
}
