// The main thread: talks to home, watches over the worker, and never blocks.
//
// Everything that ends the process passes through end() or leave(): first what the worker wrote,
// then the last words, then the whole group.

import { Worker, MessageChannel } from 'node:worker_threads';
import { newLink, figure as F } from './link.js';
import { newInlet } from './inlet.js';
import { newReader } from './wire.js';
import { openSource, openSink } from './pipes.js';
import { groupOf, leave } from './leave.js';
import { OPENING_BYTES, overText } from './ledger.js';
import { now } from './intrinsics.js';

const HOME_IN = 3;
const HOME_OUT = 4;
const TICK_MS = 25;
const MIB = 1 << 20;
const OFF = 2 ** 53;
const LIMITS = ['compute_ms', 'heap_mb', 'rss_mb', 'output_bytes', 'frame_bytes', 'lease_ms', 'calls', 'calls_open', 'leave_ms'];
// A payload longer than this changes hands without being copied.
const MOVE_BYTES = 64 << 10;

export function start(given) {
  const group = groupOf(process.pid);
  const gone = () => leave(group);
  const sink = openSink(HOME_OUT, gone);
  const say = (header, value) => {
    const payload = value === undefined ? '' : JSON.stringify(value);
    sink.write(Buffer.from(value === undefined ? `${header}\n` : `${header} ${Buffer.byteLength(payload)}\n${payload}\n`));
  };
  say(`hello ${given.mark}`, { protocol: 1, node: process.version, pid: process.pid, group, digest: given.digest });

  const supervisor = newSupervisor(given, sink, say, gone);
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

// All limits as numbers: what boot leaves out is off.
function completed(limits) {
  const all = {};
  for (const name of LIMITS) all[name] = typeof limits[name] === 'number' ? limits[name] : OFF;
  return all;
}

function newSupervisor(given, sink, say, gone) {
  const memory = newLink();
  const inlet = newInlet(memory, sink);
  const { figures } = inlet;
  const { port1: port, port2: theirs } = new MessageChannel();
  let limits = completed({});
  let worker = null;
  let ended = false;
  let heard = now();
  let batch = [];
  let moved = [];

  const computeMs = () => {
    if (worker === null || figures[F.BEGUN] === 0) return 0;
    const busy = worker.performance.eventLoopUtilization().active;
    return Math.max(0, busy - figures[F.BUSY_BASE] - inlet.waitedMs(now()));
  };

  const watchRss = () => {
    const rss = process.memoryUsage.rss();
    if (rss > figures[F.RSS_PEAK]) figures[F.RSS_PEAK] = rss;
    return rss;
  };

  const flushed = () => (sink.empty() ? gone() : setImmediate(flushed));

  // done: [header, payload text]. What the worker wrote goes first.
  const end = (done, busyMs) => {
    if (ended) return;
    ended = true;
    watchRss();
    const stats = {
      node: process.version,
      compute_ms: Math.round(busyMs ?? computeMs()),
      heap_peak_bytes: figures[F.HEAP_PEAK],
      rss_peak_bytes: figures[F.RSS_PEAK],
    };
    const last = () => {
      if (!inlet.closed()) return setTimeout(last, 1);
      say('stats', stats);
      sink.write(Buffer.from(`done ${done.how} ${Buffer.byteLength(done.text)}\n${done.text}\n`));
      return flushed();
    };
    last();
  };

  const fail = (told) => {
    const text = JSON.stringify(told.stack ?? told.message);
    const used = figures[F.METERED] || OPENING_BYTES;
    const over = used + Buffer.byteLength(text) > limits.output_bytes;
    const shown = over ? { kind: 'output-limit', code: 'output_limit', message: overText(limits.output_bytes) } : told;
    end({ how: 'error', text: JSON.stringify(shown) });
  };

  const broken = (error) => fail({
    kind: 'worker-exit', code: 'runner_broken', message: `the runner broke: ${error && error.message}`, stack: String(error && error.stack),
  });

  const exited = (code) => fail({
    kind: 'worker-exit', code: 'exited_early', message: `worker exited with code ${code} before completing`, exit_code: code,
  });

  const failed = (error) => {
    if (error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      return fail({ kind: 'worker-exit', code: 'out_of_memory', message: `out of memory: over the heap limit of ${limits.heap_mb} MiB` });
    }
    const message = String((error && error.message) || error);
    return fail({ kind: 'exception', code: 'thrown', message, stack: String((error && error.stack) || message) });
  };

  const tick = () => {
    if (ended) return;
    const rss = watchRss();
    if (rss > limits.rss_mb * MIB) {
      fail({
        kind: 'worker-exit', code: 'out_of_memory', limit: 'rss_mb',
        message: `out of memory: over the resident limit of ${limits.rss_mb} MiB`,
      });
    } else if (computeMs() > limits.compute_ms) {
      fail({ kind: 'timeout', code: 'compute_timeout', message: `compute budget exhausted (${limits.compute_ms}ms busy)` });
    }
    if (limits.lease_ms < OFF && limits.lease_ms > 0 && now() - heard > limits.lease_ms) gone();
    inlet.drain();
  };

  const fromWorker = (message) => {
    if (message === 0) return inlet.drain();
    if (message && message.over) return end({ how: message.how, text: message.text }, message.busyMs);
    return undefined;
  };

  const boot = (payload) => {
    const told = JSON.parse(payload.toString('utf8'));
    if (told.protocol !== 1) throw new Error(`home speaks protocol ${told.protocol}, this runner 1`);
    limits = told.limits = completed(told.limits || {});
    theirs.unref();
    worker = new Worker(`${given.source}(require, { worker: true })`, {
      eval: true,
      env: told.env || {},
      execArgv: [],
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
    port.postMessage({ stop: true });
    setTimeout(gone, graceMs);
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
    asset: () => {},
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
