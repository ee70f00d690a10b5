// The main thread: talks to home, watches over the worker, and never blocks.
//
// Everything that ends the process passes through end() or leave(): first what the worker wrote,
// then the last words, then the whole group.

import { constants } from 'node:vm';
import { Worker, MessageChannel } from 'node:worker_threads';
import { fstatSync } from 'node:fs';
import { newLink, figure as F } from './link.js';
import { newInlet } from './inlet.js';
import { newReader } from './wire.js';
import { openSource, openSink } from './pipes.js';
import { groupOf, leave } from './leave.js';
import { OPENING_BYTES, overText } from './ledger.js';
import { newCache, digestOf, unpack } from './cache.js';
import { now } from './intrinsics.js';

const HOME_IN = 3;
const HOME_OUT = 4;
const TICK_MS = 25;
const TORN_MS = 1000;
const MIB = 1 << 20;
const OFF = 2 ** 53;
const LIMITS = ['compute_ms', 'heap_mb', 'rss_mb', 'output_bytes', 'frame_bytes', 'lease_ms', 'calls', 'calls_open', 'leave_ms'];
// A payload longer than this changes hands without being copied.
const MOVE_BYTES = 64 << 10;

export function start(given) {
  const group = groupOf(process.pid);
  const gone = () => leave(group);
  const sink = openSink(HOME_OUT, gone);
  const memory = newLink();
  const inlet = newInlet(memory, sink);
  const say = (header, value) => {
    const payload = value === undefined ? '' : JSON.stringify(value);
    const size = value === undefined ? '' : ` ${Buffer.byteLength(payload)}`;
    inlet.insert(Buffer.from(`${header}${size}\n${value === undefined ? '' : `${payload}\n`}`));
  };
  say(`hello ${given.mark}`, { protocol: 1, node: process.version, pid: process.pid, group, digest: given.digest });

  const supervisor = newSupervisor({ given, memory, inlet, sink, say, gone });
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
  if (given.early) feed(given.early);
  openSource(HOME_IN, feed, gone);
}

// Tells whether a descriptor is still what it was.
function identityOf(fd) {
  try {
    const { dev, ino } = fstatSync(fd);
    return `${dev}:${ino}`;
  } catch {
    return '';
  }
}

// All limits as numbers: what boot leaves out is off.
function completed(limits) {
  const all = {};
  for (const name of LIMITS) all[name] = typeof limits[name] === 'number' ? limits[name] : OFF;
  return all;
}

function newSupervisor({ given, memory, inlet, sink, say, gone }) {
  const { figures } = inlet;
  const { port1: port, port2: theirs } = new MessageChannel();
  let limits = completed({});
  const cache = newCache(given.folder);
  let assets = {};
  let worker = null;
  let ended = false;
  let exitCode = null;
  let heard = now();
  let batch = [];
  let moved = [];

  const computeMs = () => {
    if (worker === null || exitCode !== null || figures[F.BEGUN] === 0) return 0;
    const busy = worker.performance.eventLoopUtilization().active;
    figures[F.BUSY_SEEN] = Math.max(0, busy - figures[F.BUSY_BASE] - inlet.waitedMs(now()));
    return figures[F.BUSY_SEEN];
  };

  const watchRss = () => {
    const rss = process.memoryUsage.rss();
    if (rss > figures[F.RSS_PEAK]) figures[F.RSS_PEAK] = rss;
    return rss;
  };

  // Leaves once all that was said has been taken.
  const depart = (tornSince) => {
    inlet.close();
    inlet.drain();
    if (inlet.idle() && sink.empty()) return gone();
    const torn = inlet.torn() ? tornSince ?? now() : undefined;
    // The worker fell, or stands still, in the middle of a frame: nothing can be said any more.
    if (torn !== undefined && (exitCode !== null || now() - torn > TORN_MS)) return gone();
    return setTimeout(depart, 1, torn);
  };

  const fail = (told) => {
    if (!inlet.claimEnd()) return;
    ended = true;
    watchRss();
    const text = JSON.stringify(told.stack ?? told.message);
    const used = figures[F.METERED] || OPENING_BYTES;
    const over = used + Buffer.byteLength(text) > limits.output_bytes;
    inlet.close();
    say('stats', {
      node: process.version,
      compute_ms: Math.round(computeMs()),
      heap_peak_bytes: figures[F.HEAP_PEAK],
      rss_peak_bytes: figures[F.RSS_PEAK],
    });
    say('done error', over ? { kind: 'output-limit', code: 'output_limit', message: overText(limits.output_bytes) } : told);
    depart();
  };

  const broken = (error) => fail({
    kind: 'worker-exit',
    code: 'runner_broken',
    message: `the runner broke: ${error && error.message}`,
    stack: String((error && error.stack) || error),
  });

  const outOfMemory = (which, limit) => fail({
    kind: 'worker-exit',
    code: 'out_of_memory',
    limit,
    message: `out of memory: over the ${which} limit of ${limits[limit]} MiB`,
  });

  // The worker has gone. With its last words in the link, these count.
  const exited = (code) => {
    exitCode = code;
    if (ended || inlet.ending()) return depart();
    return fail({ kind: 'worker-exit', code: 'exited_early', message: `worker exited with code ${code} before completing`, exit_code: code });
  };

  // What the worker could not handle itself: the program took its handlers away, or it never began.
  const failed = (error) => {
    if (error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') return outOfMemory('heap', 'heap_mb');
    if (figures[F.BEGUN] === 0) return broken(error);
    const message = String((error && error.message) || error);
    return fail({ kind: 'exception', code: 'thrown', message, stack: String((error && error.stack) || message) });
  };

  // A program may close descriptors that are not its own, or put others in their place.
  const mine = [HOME_IN, HOME_OUT].map(identityOf);
  const watchDescriptors = () => {
    if (identityOf(HOME_OUT) !== mine[1]) gone();
    if (identityOf(HOME_IN) !== mine[0]) {
      fail({ kind: 'worker-exit', code: 'exited_early', message: "the program closed the runner's descriptors" });
    }
  };

  const tick = () => {
    if (limits.lease_ms > 0 && now() - heard > limits.lease_ms) gone();
    if (ended) return;
    inlet.drain();
    watchDescriptors();
    if (watchRss() > limits.rss_mb * MIB) outOfMemory('resident', 'rss_mb');
    else if (computeMs() > limits.compute_ms) {
      fail({ kind: 'timeout', code: 'compute_timeout', message: `compute budget exhausted (${limits.compute_ms}ms busy)` });
    }
  };

  const give = (text) => port.postMessage({ asset: text });

  const need = (name) => {
    const kept = Object.hasOwn(assets, name) ? cache.get(assets[name]) : undefined;
    if (kept === null) say(`need ${name}`);
    else give(kept ?? null);
  };

  const asset = (name, payload) => {
    const text = unpack(payload.toString('latin1'));
    if (text === null) return give(null);
    if (digestOf(text) !== assets[name]) throw new Error(`the asset ${name} arrived damaged`);
    give(text);
    return cache.put(assets[name], text);
  };

  const fromWorker = (message) => {
    if (message === 0) return inlet.drain();
    if (message === 1) {
      ended = true;
      return depart();
    }
    return message && message.need ? need(message.need) : undefined;
  };

  const boot = (payload) => {
    const told = JSON.parse(payload.toString('utf8'));
    if (told.protocol !== 1) throw new Error(`home speaks protocol ${told.protocol}, this runner 1`);
    assets = told.assets || {};
    limits = told.limits = completed(told.limits || {});
    theirs.unref();
    worker = new Worker(`${given.source}(require, { worker: true })`, {
      eval: true,
      env: told.env || {},
      // Older engines let no script import() without this; the worker takes it out of sight.
      execArgv: constants && constants.USE_MAIN_CONTEXT_DEFAULT_LOADER ? [] : ['--experimental-vm-modules'],
      stdin: false,
      stdout: true,
      stderr: true,
      trackUnmanagedFds: false, // Closing a descriptor is the program's business, and no warning.
      workerData: { boot: told, memory, port: theirs },
      transferList: [theirs],
      resourceLimits: limits.heap_mb < OFF ? { maxOldGenerationSizeMb: limits.heap_mb } : {},
    });
    worker.stdout.resume();
    worker.stderr.resume();
    worker.on('error', failed).on('exit', exited);
    port.on('message', fromWorker);
    setInterval(tick, TICK_MS);
  };

  const stop = (graceMs) => {
    if (graceMs === 0 || worker === null) gone();
    port.postMessage({ stop: true });
    setTimeout(gone, Math.min(graceMs, 2 ** 31 - 1));
  };

  const frames = {
    __proto__: null,
    boot: (words, payload) => boot(payload),
    reply: (words, payload) => {
      let text;
      if (payload.length > MOVE_BYTES) {
        text = new Uint8Array(payload);
        moved.push(text.buffer);
      } else {
        text = payload.utf8Slice(0, payload.length);
      }
      batch.push(Number(words[1]), words[2] === 'ok', text);
    },
    stop: (words) => stop(Number(words[1])),
    ping: (words) => say(`beat ${words[1]}`),
    asset: (words, payload) => asset(words[1], payload),
  };

  return {
    broken,
    hear(words, payload) {
      heard = now();
      frames[words[0]](words, payload);
    },
    // Hands on the answers of one read together.
    pass() {
      if (batch.length === 0) return;
      port.postMessage(batch, moved);
      batch = [];
      moved = [];
    },
  };
}
