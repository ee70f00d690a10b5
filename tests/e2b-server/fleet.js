// All sandboxes of this server, by id.

import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PipeMaker } from './pipe.js';
import { Sandbox } from './sandbox.js';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const ID_LETTERS = 19;

function newId() {
  return `i${[...randomBytes(ID_LETTERS)].map((byte) => LETTERS[byte % 36]).join('')}`;
}

export class Fleet {
  #sandboxes = new Map();
  #root;
  #settings;
  #onBorn;

  // onBorn(id) is told before anything runs in it.
  constructor(settings, onBorn) {
    this.#settings = settings;
    this.#onBorn = onBorn;
    if (settings.root !== null) mkdirSync(settings.root, { recursive: true });
    this.#root = mkdtempSync(join(settings.root ?? tmpdir(), 'e2b-server-'));
    this.pipes = new PipeMaker(this.#root);
  }

  get root() {
    return this.#root;
  }

  get all() {
    return [...this.#sandboxes.values()];
  }

  find(id) {
    return this.#sandboxes.get(id) ?? null;
  }

  create(order) {
    const id = newId();
    this.#onBorn(id);
    const isPrivate = order.network?.allowPublicTraffic === false;
    const sandbox = new Sandbox({ id, order, root: this.#root, pipes: this.pipes,
      settings: this.#settings,
      tokens: { envd: order.secure ? randomBytes(32).toString('hex') : null,
        traffic: isPrivate ? randomBytes(32).toString('hex') : null },
      onGone: () => this.#sandboxes.delete(id) });
    this.#sandboxes.set(id, sandbox);
    return sandbox;
  }

  async close() {
    await Promise.all(this.all.map((sandbox) => sandbox.kill()));
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 10 });
  }
}
