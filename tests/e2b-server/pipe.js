// Real pipes for a child. Node gives its children sockets, which hold more than the 64 KiB of
// envd's pipes and cannot be opened again through /proc; a FIFO without its name is a pipe.

import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;
const BATCH = 48;

// FIFOs are made by mkfifo(1), many at a time: one costs as much as a batch.
export class PipeMaker {
  #parent;
  #directory = null;
  #names = [];

  constructor(parent) {
    this.#parent = parent;
  }

  #refill() {
    this.#directory ??= mkdtempSync(join(this.#parent, 'pipes-'));
    this.#names = Array.from({ length: BATCH }, (_, at) => join(this.#directory, String(at)));
    execFileSync('mkfifo', ['-m', '600', ...this.#names]);
  }

  // { near, far }: ours does not block, the child's does, and neither can be opened by name.
  make(nearWrites) {
    if (this.#names.length === 0) this.#refill();
    const name = this.#names.pop();
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

  close() {
    for (const name of this.#names) unlinkSync(name);
    if (this.#directory !== null) rmdirSync(this.#directory);
    this.#names = [];
    this.#directory = null;
  }
}
