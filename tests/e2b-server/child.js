// One process of a sandbox as envd keeps it: started through a shell, output fanned out to
// whoever listens, its end told once. Knows pipes and signals, no messages and no HTTP.

import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants } from 'node:os';

const CHUNK_BYTES = 32 << 10;
const TIMER_MAX_MS = 2 ** 31 - 1;

const SIGNAL_WORDS = {
  SIGHUP: 'hangup', SIGINT: 'interrupt', SIGQUIT: 'quit', SIGILL: 'illegal instruction',
  SIGTRAP: 'trace/breakpoint trap', SIGABRT: 'aborted', SIGBUS: 'bus error',
  SIGFPE: 'floating point exception', SIGKILL: 'killed', SIGUSR1: 'user defined signal 1',
  SIGSEGV: 'segmentation fault', SIGUSR2: 'user defined signal 2', SIGPIPE: 'broken pipe',
  SIGALRM: 'alarm clock', SIGTERM: 'terminated',
};

function endOf(code, signal) {
  if (signal === null) {
    const status = `exit status ${code}`;
    return { exitCode: code, exited: true, status, error: code === 0 ? undefined : status };
  }
  const status = `signal: ${SIGNAL_WORDS[signal] ?? signal}`;
  return { exitCode: -1, exited: false, status, error: status };
}

// After an upgrade in place envd is no parent that waits with its library, and tells it otherwise.
function adoptedEndOf(code, signal) {
  if (signal === null) return { exitCode: code, exited: true, status: 'exited' };
  return { exitCode: 128 + constants.signals[signal], exited: false,
    status: SIGNAL_WORDS[signal] ?? signal };
}

function closeAll(fds) {
  for (const fd of fds) closeSync(fd);
}

export class Child {
  pid = 0;
  isAdopted = false;
  #process = null;
  #stdin = null;
  #isStdinBroken = false;
  #outputs = new Map(); // The streams that are still open, by name.
  #listeners = new Set();
  #wasHeard = false; // Whoever started it was there to listen; nothing is lost before that.
  #isCancelled = false; // A signal or the deadline: what the pipes hold is not waited for.
  #exit = null;
  #deadline = null;
  #discards;
  #onEnd;

  // config: { cmd, args, envs, cwd } as it was asked for; discards: output without a listener
  // goes away; onEnd(end) is told before the listeners.
  constructor({ config, tag, discards, onEnd }) {
    this.config = config;
    this.tag = tag;
    this.#discards = discards;
    this.#onEnd = onEnd;
  }

  // Resolves when it runs; rejects with the error of spawn(). envd starts everything by way of a
  // shell, so a program that is not there is an end with 127 and not an error here.
  async start({ pipes, cwd, env, hasStdin }) {
    const out = pipes.make(false);
    const err = pipes.make(false);
    const input = hasStdin ? pipes.make(true) : null;
    const far = [input?.far ?? 'ignore', out.far, err.far];
    const near = [out.near, err.near, input?.near].filter((fd) => fd !== undefined);
    try {
      this.#process = spawn(...this.commandLine(), { cwd, env, stdio: far });
      await this.#spawned();
    } catch (error) {
      closeAll(near);
      throw error;
    } finally {
      closeAll(far.filter(Number.isInteger));
    }
    this.pid = this.#process.pid;
    this.#watch({ stdout: out.near, stderr: err.near }, input?.near);
  }

  // What a terminal does otherwise: the command line, what comes out of a pipe, and whether that
  // is output at all.
  commandLine() {
    return ['/bin/sh', ['-c', 'exec "$@"', '--', this.config.cmd, ...this.config.args]];
  }

  kindOf(name) {
    return name;
  }

  isOutput() {
    return true;
  }

  #spawned() {
    return new Promise((resolve, reject) => {
      this.#process.once('error', reject);
      if (this.#process.pid !== undefined) resolve();
    });
  }

  #watch(outputs, stdin) {
    for (const [name, fd] of Object.entries(outputs)) {
      const socket = new Socket({ fd, readable: true, writable: false });
      this.#outputs.set(name, socket);
      socket.on('data', (chunk) => {
        const kind = this.kindOf(name, chunk);
        if (kind !== null) this.#spread(kind, chunk);
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#outputs.delete(name);
        this.#settle();
      });
    }
    if (stdin !== undefined) {
      this.#stdin = new Socket({ fd: stdin, readable: false, writable: true });
      this.#stdin.on('error', () => {
        this.#isStdinBroken = true;
      });
    }
    this.#process.on('exit', (code, signal) => {
      this.#exit = { code, signal };
      if (this.#isCancelled) this.#dropOutputs();
      this.#settle();
    });
    this.regulate();
  }

  #dropOutputs() {
    for (const socket of this.#outputs.values()) socket.destroy();
  }

  #spread(name, chunk) {
    for (let at = 0; at < chunk.length; at += CHUNK_BYTES) {
      const part = chunk.subarray(at, at + CHUNK_BYTES);
      for (const listener of this.#listeners) listener.onData(name, part);
    }
    this.regulate();
  }

  // The slowest listener sets the pace for all, and so for the process; call it when one caught up.
  regulate() {
    const isHeld = this.#listeners.size === 0 ? !(this.#discards && this.#wasHeard)
      : [...this.#listeners].some((listener) => listener.isFull());
    for (const [name, socket] of this.#outputs) {
      if (isHeld && this.isOutput(name)) socket.pause();
      else socket.resume();
    }
  }

  // It ends when the leader has and both pipes are at their end, whoever else holds them.
  #settle() {
    if (this.#exit === null || this.#outputs.size > 0 || this.hasEnded) return;
    clearTimeout(this.#deadline);
    this.#stdin?.destroy();
    const { code, signal } = this.#exit;
    this.end = this.isAdopted ? adoptedEndOf(code, signal) : endOf(code, signal);
    this.#onEnd(this.end);
    for (const listener of this.#listeners) listener.onEnd(this.end);
    this.#listeners.clear();
  }

  get hasEnded() {
    return this.end !== undefined;
  }

  // listener: { onData(name, bytes), onEnd(end), isFull() }.
  subscribe(listener) {
    this.#listeners.add(listener);
    this.#wasHeard = true;
    this.regulate();
  }

  unsubscribe(listener) {
    this.#listeners.delete(listener);
    this.#wasHeard = true;
    this.regulate();
  }

  // The leader alone is killed, as envd does.
  setDeadline(ms) {
    this.#deadline = setTimeout(() => this.kill('SIGKILL'), Math.min(ms, TIMER_MAX_MS));
  }

  kill(signal) {
    this.#isCancelled = true;
    if (this.#exit !== null) {
      this.#dropOutputs();
      return;
    }
    try {
      process.kill(this.pid, signal);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }

  // Terminals alone have these.
  async resize() {
    throw new Error('tty not assigned to process');
  }

  async writeTerminal() {
    throw new Error('tty not assigned to process — ' +
      'input should be written to the stdin, not the tty');
  }

  get hasOpenStdin() {
    return this.#stdin !== null && !this.#stdin.destroyed && !this.#stdin.writableEnded;
  }

  // Resolves when the pipe has it all; a full pipe makes it wait for the process.
  write(bytes) {
    return new Promise((resolve, reject) => {
      const fail = (why) =>
        reject(new Error(`error writing to stdin of process '${this.pid}': write |1: ${why}`));
      if (this.#isStdinBroken) fail('broken pipe');
      else if (!this.hasOpenStdin) reject(new Error('stdin not enabled or closed'));
      else {
        this.#stdin.write(bytes, (error) => {
          if (!error) resolve();
          else fail(error.code === 'EPIPE' ? 'broken pipe' : 'file already closed');
        });
      }
    });
  }

  closeStdin() {
    return new Promise((resolve) => {
      if (!this.hasOpenStdin) resolve();
      else {
        this.#stdin.end(() => {
          this.#stdin.destroy();
          resolve();
        });
      }
    });
  }
}
