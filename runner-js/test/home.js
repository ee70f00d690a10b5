// A small home for the tests: starts a runner by the real launch line, speaks the wire with it,
// and tells all that came. Checks every frame as strictly as the protocol asks.

import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';

export const nodes = (process.env.ERRAND_TEST_NODES || process.execPath).split(':').filter(Boolean);
export const showLaunch = process.env.ERRAND_SHOW_LAUNCH;

const show = (...args) => JSON.parse(execFileSync(showLaunch, args, { maxBuffer: 64 << 20 }));

// The same for every launch, and large.
let parts;
function partsOnce() {
  if (parts !== undefined) return parts;
  parts = show('parts');
  parts.runner = Buffer.from(parts.runner, 'hex');
  for (const asset of Object.values(parts.assets))
    asset.payload = Buffer.from(asset.payload, 'hex').toString();
  return parts;
}

export function launchFor({
  node,
  delivery = 'stdin',
  mark = randomBytes(16).toString('hex'),
  limits = {},
  wishes = {},
}) {
  const offline = wishes.network === 'off' ? ',offline' : '';
  const how = delivery + offline;
  const told = show(mark, how, String(limits.heap_mb || 512), ...(node ? [node] : []));
  for (const name of ['line', 'head', 'tail']) told[name] = Buffer.from(told[name], 'hex');
  return { ...told, ...partsOnce(), line: told.line.toString(), mark };
}

export function bootFor(program, options = {}) {
  const names = options.functions || ['echo', 'fail', 'never'];
  return {
    protocol: 1,
    program,
    name: options.name || 'program',
    language: options.language || 'js',
    values: options.values || 'strict',
    spaces: options.spaces || [
      { name: 'tools', functions: names, error: 'ToolError', member: 'tool' },
    ],
    env: options.env || {},
    limits: { output_bytes: 64 << 20, frame_bytes: 256 << 20, heap_mb: 512, ...options.limits },
    assets: options.assets || {},
    ...(options.input === undefined ? {} : { input: options.input }),
    ...options.wishes,
  };
}

const SIZED = { hello: 2, log: 2, item: 1, call: 4, stats: 1, store: 1, done: 2 };

// Splits the stream into frames; throws at what is none.
export class Frames {
  constructor(mark) {
    this.rest = Buffer.alloc(0);
    this.mark = mark;
    this.begun = false;
    this.noise = '';
  }

  // What is complete: [words, payload text] each.
  take(chunk) {
    this.rest = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    const found = [];
    for (;;) {
      if (!this.begun && !this.begin(found)) return found;
      const frame = this.next();
      if (frame === null) return found;
      found.push(frame);
    }
  }

  begin(found) {
    const at = ['hello', 'want', 'fail']
      .map((word) => this.rest.indexOf(`${word} ${this.mark}`))
      .find((i) => i >= 0);
    if (at === undefined) return false;
    const end = this.rest.indexOf(10, at);
    if (end < 0) return false;
    this.noise += this.rest.subarray(0, at).toString();
    const line = this.rest.subarray(at, end).toString();
    if (line.startsWith('hello')) {
      this.begun = true;
      this.rest = this.rest.subarray(at);
      return true;
    }
    this.rest = this.rest.subarray(end + 1);
    found.push([line.split(' '), '']);
    return this.begin(found);
  }

  next() {
    const end = this.rest.indexOf(10);
    if (end < 0) return null;
    const words = this.rest.subarray(0, end).toString('latin1').split(' ');
    const at = SIZED[words[0]];
    if (at === undefined) {
      const most = { beat: 2, need: 2, left: 4 }[words[0]];
      if (words.length !== most)
        throw new Error(`no frame: ${words.join(' ')}`);
      this.rest = this.rest.subarray(end + 1);
      return [words, ''];
    }
    if (words.length !== at + 1 || !/^(0|[1-9][0-9]*)$/.test(words[at]))
      throw new Error(`no frame: ${words.join(' ')}`);
    const size = Number(words[at]);
    if (this.rest.length < end + 1 + size + 1) return null;
    const payload = this.rest.subarray(end + 1, end + 1 + size).toString();
    if (this.rest[end + 1 + size] !== 10)
      throw new Error(`no line break behind ${words.join(' ')}`);
    this.rest = this.rest.subarray(end + 2 + size);
    if (size > 0) JSON.parse(payload);
    return [words, payload];
  }
}

export function frame(header, payload) {
  if (payload === undefined) return Buffer.from(`${header}\n`);
  return Buffer.from(`${header} ${Buffer.byteLength(payload)}\n${payload}\n`);
}

const tools = {
  echo: (args) => args,
  fail: (args) => {
    throw args === undefined ? { message: 'failed' } : JSON.parse(args);
  },
  never: () => new Promise(() => {}),
};

// A run in the making: frames come as they are; see run() for the usual case.
export function begin(program, options = {}) {
  const launch = launchFor(options);
  const boot = options.boot || bootFor(program, options);
  const shell = options.shell || ['/bin/sh', '-c'];
  const line = options.rewrite ? options.rewrite(launch.line) : launch.line;
  const child = spawn(shell[0], [...shell.slice(1), line], {
    env: options.processEnv || process.env,
    detached: options.detached !== false,
    stdio: 'pipe',
  });
  const frames = new Frames(launch.mark);
  const seen = {
    all: [],
    logs: [],
    calls: [],
    stderr: '',
    error: null,
    done: null,
    stats: null,
    hello: null,
    fail: null,
  };
  const began = process.hrtime.bigint();
  child.stdin.on('error', () => {});
  child.stderr.on('data', (bytes) => {
    seen.stderr += bytes;
  });
  const send = (...parts) => child.stdin.write(Buffer.concat(parts));
  const handlers = { ...tools, ...options.tools };

  const assetFor = (name) =>
    options.asset ? options.asset(name) : (launch.assets[name]?.payload ?? 'null');

  const answer = async (id, space, name, args) => {
    try {
      const value = await handlers[name](args, { id, space, name });
      send(frame(`reply ${id} ok`, value ?? ''));
    } catch (error) {
      send(frame(`reply ${id} error`, JSON.stringify({ message: String(error), ...error })));
    }
  };

  const hear = ([words, payload]) => {
    seen.all.push(words.join(' '));
    switch (words[0]) {
      case 'hello':
        seen.hello = JSON.parse(payload);
        break;
      case 'fail':
        seen.fail = words.slice(2);
        break;
      case 'want':
        send(launch.runner);
        break;
      case 'log':
        seen.logs.push([words[1], JSON.parse(payload)]);
        break;
      case 'stats':
        seen.stats = JSON.parse(payload);
        break;
      case 'done':
        if (seen.done) throw new Error('done twice');
        seen.done = { how: words[1], payload, ms: Number(process.hrtime.bigint() - began) / 1e6 };
        break;
      case 'need':
        send(frame(`asset ${words[1]}`, assetFor(words[1])));
        break;
      case 'call': {
        const { functions, name } = boot.spaces[Number(words[2])];
        seen.calls.push([`${name}.${functions[Number(words[3])]}`, payload]);
        answer(words[1], name, functions[Number(words[3])], payload === '' ? undefined : payload);
        break;
      }
      default:
    }
    if (options.onFrame) options.onFrame(words, payload, { child, send });
  };

  const ended = new Promise((resolve) => {
    child.stdout.on('data', (bytes) => {
      try {
        frames.take(bytes).forEach(hear);
      } catch (error) {
        seen.error = seen.error || error;
        child.stdin.destroy();
      }
    });
    child.on('close', (code, signal) =>
      resolve({ ...seen, noise: frames.noise, exit: { code, signal } }),
    );
  });
  if (!options.silent)
    send(launch.head, frame('boot', JSON.stringify(boot)), launch.tail, ...(options.early || []));
  return { child, seen, send, ended, launch, began };
}

// Runs a program to its end: { value } or { error }, beside all that came.
export async function run(program, options = {}) {
  const { child, ended } = begin(program, options);
  const timer = setTimeout(() => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      child.kill('SIGKILL');
    }
  }, options.timeout || 20000);
  const seen = await ended;
  clearTimeout(timer);
  if (seen.error) throw seen.error;
  const out = { ...seen, text: seen.done && seen.done.payload };
  if (seen.done && seen.done.how === 'ok')
    out.value = out.text === '' ? undefined : JSON.parse(out.text);
  if (seen.done && seen.done.how === 'error') out.failure = JSON.parse(out.text);
  return out;
}
