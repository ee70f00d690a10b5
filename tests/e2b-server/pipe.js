// Real pipes for a child. Node gives its children sockets, which hold more than the 64 KiB of
// envd's pipes and cannot be opened again through /proc; a FIFO without its name is a pipe.

import { execFile, execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;
const BATCH = 192;
const LOW = 64;

const run = promisify(execFile);

// FIFOs are made by mkfifo(1), many at a time and ahead of their use: starting it costs as much as
// starting the program that they are for.
export class PipeMaker {
  #directory;
  #ready = [];
  #made = 0;
  #isMaking = false;

  constructor(parent) {
    this.#directory = mkdtempSync(join(parent, 'pipes-'));
  }

  #newNames() {
    this.#made += BATCH;
    return Array.from({ length: BATCH },
      (_, at) => join(this.#directory, String(this.#made - at)));
  }

  // Resolves when there are enough for a while.
  async prepare() {
    if (this.#isMaking || this.#ready.length > LOW) return;
    this.#isMaking = true;
    const names = this.#newNames();
    try {
      await run('mkfifo', ['-m', '600', ...names]);
      this.#ready.push(...names);
    } finally {
      this.#isMaking = false;
    }
  }

  #take() {
    if (this.#ready.length === 0) {
      this.#ready = this.#newNames();
      execFileSync('mkfifo', ['-m', '600', ...this.#ready]);
    }
    this.prepare().catch(() => {}); // Then the next one who finds none says why.
    return this.#ready.pop();
  }

  // { near, far }: ours does not block, the child's does, and neither can be opened by name.
  make(nearWrites) {
    const name = this.#take();
    const held = openSync(name, O_RDWR); // Lets both ends open at once.
    try {
      const near = openSync(name, (nearWrites ? O_WRONLY : O_RDONLY) | O_NONBLOCK);
      const far = openSync(name, nearWrites ? O_RDONLY : O_WRONLY);
      return { near, far };
    } finally {
      closeSync(held);
      unlinkSync(name);
    }
  }
}
