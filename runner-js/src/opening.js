// The main thread's first words: to home, that it is there, and to the worker, what to run.
//
// The worker waits for them, or is about to, so that nothing else comes before: what main.js is
// made of takes longer to load than all this. The program does not run before main.js says so.

import { writeSync } from 'node:fs';
import { MessageChannel } from 'node:worker_threads';
import { newLink } from './link.js';
import { frame, newReader } from './wire.js';
import { ownGroup } from './leave.js';
import { newCache } from './cache.js';
import { eraseEarly } from './erase.js';
import { isCutOff } from './network.js';
import { sourcesOf, tryScript } from './recover.js';
import { asksParser, mayAskParser } from './shape.js';

const HOME_OUT = 4;
const OFF = 2 ** 53;
const LIMITS = [
  'compute_ms',
  'heap_mb',
  'rss_mb',
  'output_bytes',
  'frame_bytes',
  'lease_ms',
  'calls',
  'calls_open',
  'leave_ms',
];

// All limits as numbers: what boot leaves out is off.
function completed(limits) {
  const all = {};
  for (const name of LIMITS) all[name] = typeof limits[name] === 'number' ? limits[name] : OFF;
  return all;
}

function bootOf(early) {
  let boot = null;
  newReader(OFF, (words, payload) => {
    boot = JSON.parse(payload.toString('utf8'));
  }).feed(early);
  if (boot.protocol !== 1) throw new Error(`home speaks protocol ${boot.protocol}, this runner 1`);
  if (typeof boot.program !== 'string') throw new Error('home sent no program');
  boot.limits = completed(boot.limits || {});
  boot.assets ||= {};
  return boot;
}

// A few bytes, before anything else is written: an empty pipe has room for them.
function writeNow(fd, bytes) {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

// Says all that, and does for the worker what takes long while that starts.
export function start({ mark, digest, early, folder, source, script, thread }) {
  const group = ownGroup();
  const boot = bootOf(early);
  const hello = frame(`hello ${mark}`, {
    protocol: 1,
    node: process.version,
    pid: process.pid,
    group,
    digest,
    network: boot.network === 'off' && isCutOff() ? 'none' : undefined,
  });
  const memory = newLink();
  const { port1: port, port2: theirs } = new MessageChannel();
  // A program that runs may write to this descriptor too, and must not come first.
  writeNow(HOME_OUT, hello);
  // The runner as it is compiled by now: reading that costs the worker less than the text.
  const compiled = script ? script.createCachedData() : undefined;
  thread.postMessage({ source, compiled, worker: true, boot, memory, port: theirs }, [theirs]);
  const cache = newCache(folder);
  const lacking = []; // Assets that will be needed and are not kept here.
  const kept = (name) => {
    const bytes = Object.hasOwn(boot.assets, name) ? cache.get(boot.assets[name]) : null;
    if (bytes === null) lacking.push(name);
    return bytes;
  };
  const [text] = sourcesOf(boot).sources;
  let erased = null;
  if (boot.language !== 'js') {
    erased = text === undefined ? null : eraseEarly(text, kept);
    port.postMessage({ early: erased });
  }
  if (text !== undefined && mayAskParser(text)) {
    const reading = erased ?? tryScript(text);
    if (reading !== null && asksParser(reading, text)) kept('acorn');
  }
  return { boot, cache, group, hello, lacking, memory, port };
}
