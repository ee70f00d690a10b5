// One sandbox: a folder with its homes, an envd, the time it has, and its end, after which none of
// its processes lives. Knows no HTTP but the connections it must cut.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { freezeMembers, killMembers, thaw } from './census.js';
import { Envd } from './envd.js';
import { Homes } from './homes.js';

const TIMER_MAX_MS = 2 ** 31 - 1;
const SETTLE_MS = 10;

export class Sandbox {
  id;
  state = 'running'; // pausing, paused, resuming, killing.
  startedAt = new Date();
  endAt;
  order; // What it was asked to be: see control.js.
  envd;
  #directory;
  #settings;
  #timer = null;
  #frozen = [];
  #connections = new Set();
  #downUntil = 0;
  #onGone;

  // onGone(sandbox) is told when it is about to be no more.
  constructor({ id, order, root, pipes, settings, tokens, onGone }) {
    this.id = id;
    this.order = order;
    this.tokens = tokens;
    this.#settings = settings;
    this.#onGone = onGone;
    this.#directory = join(root, id);
    const homes = new Homes(this.#directory);
    for (const home of homes.all) mkdirSync(home, { recursive: true });
    this.envd = new Envd({ version: settings.envdVersion, homes, pipes,
      retainMs: settings.retainMs, path: settings.path, token: tokens.envd,
      isJsonOnly: settings.codec === 'json-only',
      envs: { ...order.envVars, E2B_SANDBOX: 'true', E2B_SANDBOX_ID: id,
        E2B_TEMPLATE_ID: order.templateID },
      onCrash: () => this.restart(0) });
    this.liveFor(order.timeout);
  }

  // From now on, in seconds.
  liveFor(seconds) {
    this.endAt = new Date(Date.now() + seconds * 1000);
    this.#arm();
  }

  // Never shorter than it was.
  extend(seconds) {
    if (this.endAt.getTime() < Date.now() + seconds * 1000) this.liveFor(seconds);
  }

  #arm() {
    clearTimeout(this.#timer);
    const left = Math.max(0, this.endAt.getTime() - Date.now());
    this.#timer = setTimeout(() => {
      if (this.endAt.getTime() > Date.now()) this.#arm();
      else this.expire();
    }, Math.min(left, TIMER_MAX_MS));
  }

  get isListed() {
    return this.state !== 'killing';
  }

  get isDown() {
    return Date.now() < this.#downUntil;
  }

  get openConnections() {
    return this.#connections.size;
  }

  enter(reply) {
    this.#connections.add(reply);
    reply.onClose(() => this.#connections.delete(reply));
  }

  cutConnections() {
    for (const reply of this.#connections) reply.destroy();
  }

  // Its time is over.
  async expire() {
    if (this.state !== 'running') return;
    if (this.order.autoPause) await this.pause(this.order.autoPauseMemory ?? true);
    else await this.kill();
  }

  async kill() {
    if (this.state === 'killing') return;
    this.state = 'killing';
    clearTimeout(this.#timer);
    this.#onGone(this);
    this.cutConnections();
    this.envd.close();
    thaw(this.#frozen);
    await killMembers([this.id]);
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 10 });
  }

  // Without its memory, what ran is gone and the files stay.
  async pause(keepsMemory) {
    this.state = 'pausing';
    clearTimeout(this.#timer);
    await this.#transit();
    if (this.state !== 'pausing') return;
    if (keepsMemory) this.#frozen = freezeMembers([this.id]);
    else await this.#reboot();
    this.cutConnections();
    this.state = 'paused';
  }

  async resume(seconds) {
    this.state = 'resuming';
    await this.#transit();
    if (this.state !== 'resuming') return;
    thaw(this.#frozen);
    this.#frozen = [];
    this.state = 'running';
    this.liveFor(seconds);
  }

  async #transit() {
    if (this.#settings.transitionMs > 0) await sleep(this.#settings.transitionMs);
  }

  // Until it is in no state between two others.
  async settle() {
    while (['pausing', 'resuming'].includes(this.state)) await sleep(SETTLE_MS);
  }

  async #reboot() {
    this.envd.restart();
    await killMembers([this.id]);
  }

  // envd dies with all that it started, and is back after a while.
  async restart(ms) {
    this.#downUntil = Date.now() + ms;
    this.cutConnections();
    await this.#reboot();
  }

  // envd is replaced, and its processes are not.
  upgrade(ms) {
    this.cutConnections();
    this.envd.upgrade(ms);
  }
}
