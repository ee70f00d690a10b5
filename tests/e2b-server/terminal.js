// A process on a terminal, which script(1) makes: node has none. The leader is the program and not
// script, as envd has it; its pid and terminal come home by script's own stderr, which is a pipe.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { Child } from './child.js';

const run = promisify(execFile);

const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;

export class Terminal extends Child {
  #size;
  #line = '';
  #told;
  #isTold;
  #path = null;

  constructor({ size, ...rest }) {
    super(rest);
    this.#size = { cols: 80, rows: 24, ...size };
    this.#isTold = new Promise((resolve) => {
      this.#told = resolve;
    });
  }

  commandLine() {
    const { cols, rows } = this.#size;
    const words = [this.config.cmd, ...this.config.args].map(quoted).join(' ');
    const inner = `stty sane cols ${cols} rows ${rows}; ` +
      `echo "$$ $(tty)" >/proc/$PPID/fd/2; exec ${words}`;
    return ['script', ['-q', '-e', '-f', '-c', `exec /bin/sh -c ${quoted(inner)}`, '/dev/null']];
  }

  kindOf(name, chunk) {
    if (name === 'stdout') return 'pty';
    this.#line += chunk;
    if (this.#line.includes('\n')) this.#told();
    return null;
  }

  isOutput(name) {
    return name === 'stdout';
  }

  async start(options) {
    await super.start({ ...options, env: { ...options.env, SHELL: '/bin/sh' }, hasStdin: true });
    await this.#isTold;
    const [pid, path] = this.#line.trim().split(' ');
    this.pid = Number(pid);
    this.#path = path;
  }

  async resize({ cols, rows }) {
    await run('stty', ['-F', this.#path, 'cols', String(cols), 'rows', String(rows)]);
  }

  async writeTerminal(bytes) {
    await super.write(bytes);
  }

  async write() {
    throw new Error('tty assigned to process — ' +
      'input should be written to the pty, not the stdin');
  }

  async closeStdin() {
    throw new Error('cannot close stdin for PTY process — send Ctrl+D (0x04) instead');
  }
}
