// envd's service of processes: what each method does, and the table of those that run or have run
// a moment ago. The process itself is child.js, a terminal terminal.js.

import { existsSync } from 'node:fs';

import { ConnectError } from './connect.js';
import { Child } from './child.js';
import { Terminal } from './terminal.js';
import { can } from './version.js';

const KEEPALIVE_S = 90;
const TIMER_MAX_MS = 2 ** 31 - 1;
const SIGNALS = { SIGNAL_SIGKILL: 'SIGKILL', SIGNAL_SIGTERM: 'SIGTERM' };

function fail(code, message) {
  throw new ConnectError(code, message);
}

// The interval that the client wants, 90 s where it says nothing that is a number. What is not
// over zero ends the whole envd, as its timers do.
function readKeepalive(headers) {
  const text = headers['keepalive-ping-interval'] ?? '';
  return /^[+-]?\d+$/.test(text) ? Number(text) : KEEPALIVE_S;
}

// Sends a keepalive whenever nothing else went out for so long.
export function keepAlive(headers, crash, send) {
  const seconds = readKeepalive(headers);
  if (seconds <= 0) {
    crash();
    return { reset() {}, stop() {} };
  }
  const timer = setInterval(send, Math.min(seconds * 1000, TIMER_MAX_MS));
  return { reset: () => timer.refresh(), stop: () => clearInterval(timer) };
}

function eventOf(end) {
  const { exitCode, exited, status, error } = end;
  return { event: { end: { exitCode, exited, status, error } } };
}

export class ProcessService {
  #live = new Map();
  #ended = new Map();
  #host;

  // host: { version, homes, environment(user), workdir, pipes, crash(), retainMs } of the envd.
  constructor(host) {
    this.#host = host;
  }

  get methods() {
    const table = { List: this.#list, Start: this.#start, Connect: this.#connect,
      Update: this.#update, SendInput: this.#sendInput, StreamInput: this.#streamInput,
      SendSignal: this.#sendSignal };
    if (can(this.#host.version, 'closeStdin')) table.CloseStdin = this.#closeStdin;
    return Object.fromEntries(Object.entries(table)
      .map(([name, method]) => [`process.Process/${name}`, method.bind(this)]));
  }

  // The envd is replaced in place: all that runs goes on, and is told otherwise at its end.
  adopt() {
    for (const child of this.#live.values()) child.isAdopted = true;
  }

  close() {
    for (const { timer } of this.#ended.values()) clearTimeout(timer);
    for (const child of this.#live.values()) child.kill('SIGKILL');
  }

  // By tag, envd stops at the first other tag that it meets.
  #find(selector) {
    if (selector?.pid !== undefined) {
      return this.#live.get(selector.pid) ??
        fail('not_found', `process with pid ${selector.pid} not found`);
    }
    if (selector?.tag === undefined) return fail('unimplemented', 'invalid input type <nil>');
    let found = null;
    for (const child of this.#live.values()) {
      if (child.tag === selector.tag) found = child;
      else if (child.tag !== undefined) break;
    }
    return found ?? fail('not_found', `process with tag ${selector.tag} not found`);
  }

  async #list() {
    const processes = [...this.#live.values()]
      .map(({ pid, tag, config }) => ({ pid, tag, config }));
    return { processes };
  }

  #newChild({ config, tag, size }) {
    const Kind = size === undefined ? Child : Terminal;
    const discards = can(this.#host.version, 'discard');
    const child = new Kind({ config, tag, size, discards,
      onEnd: (end) => this.#retire(child, end) });
    return child;
  }

  #retire(child, end) {
    if (this.#live.get(child.pid) !== child) return;
    this.#live.delete(child.pid);
    if (!can(this.#host.version, 'retainedEnd')) return;
    const kept = { pid: child.pid, tag: child.tag, end };
    kept.timer = setTimeout(() => {
      if (this.#ended.get(child.pid) === kept) this.#ended.delete(child.pid);
    }, this.#host.retainMs);
    kept.timer.unref();
    this.#ended.set(child.pid, kept);
  }

  // What a pid or a tag meant before is forgotten when it comes again.
  #enter(child) {
    this.#ended.delete(child.pid);
    for (const [pid, { tag }] of this.#ended) {
      if (tag !== undefined && tag === child.tag) this.#ended.delete(pid);
    }
    this.#live.set(child.pid, child);
  }

  #placeOf({ cwd }, user) {
    let place;
    try {
      place = this.#host.homes.resolve(cwd ?? '', user, this.#host.workdir);
    } catch (error) {
      fail('invalid_argument', error.message);
    }
    if (!existsSync(place)) fail('invalid_argument', `cwd '${place}' does not exist`);
    return place;
  }

  async #launch(request, user) {
    const config = { cmd: '', args: [], ...request.process };
    const cwd = this.#placeOf(config, user);
    const env = { ...this.#host.environment(user), ...config.envs };
    const hasStdin = !can(this.#host.version, 'stdinChoice') || request.stdin !== false;
    const child = this.#newChild({ config, tag: request.tag, size: request.pty?.size });
    try {
      await child.start({ pipes: this.#host.pipes, cwd, env, hasStdin });
    } catch (error) {
      const isFull = error.code === 'EAGAIN' && can(this.#host.version, 'exhausted');
      const what = [config.cmd, ...config.args].join(' ');
      fail(isFull ? 'resource_exhausted' : 'invalid_argument',
        `error starting process '${what}': ${error.message}`);
    }
    return child;
  }

  async #start(request, call, stream) {
    const child = await this.#launch(request, call.user);
    this.#enter(child);
    if (call.timeoutMs > 0) child.setDeadline(call.timeoutMs);
    await this.#follow(child, call, stream);
  }

  // Ends with the process, or when the client went away; the process does not mind that.
  #follow(child, call, stream) {
    return new Promise((resolve) => {
      let isOver = false;
      const finish = () => {
        if (isOver) return;
        isOver = true;
        pulse.stop();
        child.unsubscribe(listener);
        resolve();
      };
      const listener = {
        onData(name, bytes) {
          stream.send({ event: { data: { [name]: bytes } } });
          pulse.reset();
        },
        onEnd(end) {
          stream.send(eventOf(end));
          finish();
        },
        isFull: () => stream.isFull(),
      };
      stream.open();
      stream.onClose(finish);
      stream.send({ event: { start: { pid: child.pid } } });
      const pulse = keepAlive(call.headers, this.#host.crash,
        () => stream.send({ event: { keepalive: {} } }));
      stream.onDrain(() => child.regulate());
      if (stream.isClosed) finish(); // The client left while it was being started.
      else if (child.hasEnded) listener.onEnd(child.end);
      else child.subscribe(listener);
    });
  }

  #findEnded(selector) {
    if (selector?.pid !== undefined) return this.#ended.get(selector.pid);
    return [...this.#ended.values()].find(({ tag }) => tag !== undefined && tag === selector?.tag);
  }

  async #connect({ process: selector }, call, stream) {
    let child;
    try {
      child = this.#find(selector);
    } catch (error) {
      const kept = this.#findEnded(selector);
      if (kept === undefined) throw error;
      stream.open();
      stream.send({ event: { start: { pid: kept.pid } } });
      stream.send(eventOf(kept.end));
      return;
    }
    await this.#follow(child, call, stream);
  }

  async #update({ process: selector, pty }) {
    const child = this.#find(selector);
    if (pty === undefined) return {};
    try {
      await child.resize({ cols: 0, rows: 0, ...pty.size });
    } catch (error) {
      fail('internal', `error resizing tty: ${error.message}`);
    }
    return {};
  }

  async #input(child, input) {
    const [kind] = Object.keys(input ?? {});
    const where = { stdin: 'stdin', pty: 'tty' }[kind];
    if (where === undefined) fail('unimplemented', 'invalid input type <nil>');
    try {
      if (kind === 'stdin') await child.write(input.stdin);
      else await child.writeTerminal(input.pty);
    } catch (error) {
      fail('internal', `error writing to ${where}: ${error.message}`);
    }
  }

  async #sendInput({ process: selector, input }) {
    await this.#input(this.#find(selector), input);
    return {};
  }

  async #streamInput(messages) {
    let child = null;
    for await (const { start, data, keepalive } of messages) {
      if (start !== undefined) child = this.#find(start.process);
      else if (data !== undefined) {
        if (child === null) this.#host.crash(); // envd dereferences nothing here, and dies.
        else await this.#input(child, data.input);
      } else if (keepalive === undefined) fail('unimplemented', 'invalid event type <nil>');
    }
    return {};
  }

  async #sendSignal({ process: selector, signal }) {
    const child = this.#find(selector);
    const name = SIGNALS[signal];
    if (name === undefined) {
      fail('unimplemented', `invalid signal: ${signal ?? 'SIGNAL_UNSPECIFIED'}`);
    }
    child.kill(name);
    return {};
  }

  async #closeStdin({ process: selector }) {
    const child = this.#find(selector);
    try {
      await child.closeStdin();
    } catch (error) {
      fail('unknown', `error closing stdin: ${error.message}`);
    }
    return {};
  }
}
