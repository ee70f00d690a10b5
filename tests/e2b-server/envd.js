// The daemon in a sandbox: who may ask, which path leads where, and how it restarts. The services
// are process.js, filesystem.js and files.js.

import { answerError, answerJson, answerNothing } from './answers.js';
import { ConnectError } from './connect.js';
import { FilesystemService } from './filesystem.js';
import { Files } from './files.js';
import { Metadata } from './metadata.js';
import { ProcessService } from './process.js';
import { callMethod } from './rpc.js';
import { can } from './version.js';
import { readVitals } from './vitals.js';

// What is asked without a token, or brings one of its own.
const OPEN_PATHS = ['GET /health', 'GET /files', 'POST /files', 'POST /init'];

function isObjectOfTexts(value) {
  return typeof value === 'object' && value !== null &&
    Object.values(value).every((text) => typeof text === 'string');
}

export class Envd {
  version;
  homes;
  pipes;
  retainMs;
  path;
  token;
  envs;
  workdir = undefined;
  defaultUser;
  metadata = new Metadata();
  #isJsonOnly;
  #onCrash;
  #blockedUntil = 0;

  // onCrash() is asked to restart it, as the system of a sandbox would.
  constructor({ version, homes, pipes, retainMs, path, token, envs, isJsonOnly, onCrash }) {
    Object.assign(this, { version, homes, pipes, retainMs, path, token, envs });
    this.#isJsonOnly = isJsonOnly;
    this.#onCrash = onCrash;
    this.defaultUser = can(version, 'defaultUser') ? 'user' : undefined;
    this.#begin();
  }

  #begin() {
    this.processes = new ProcessService(this);
    this.filesystem = new FilesystemService(this);
    this.files = new Files(this);
    this.methods = { ...this.processes.methods, ...this.filesystem.methods };
  }

  crash = () => {
    setImmediate(() => this.#onCrash());
  };

  // All that it knew of processes and watchers is gone.
  restart() {
    this.close();
    this.#begin();
  }

  // Replaced in place: processes live on; until the token is back it lets nobody in.
  upgrade(ms) {
    this.processes.adopt();
    this.#blockedUntil = Date.now() + ms;
  }

  close() {
    this.processes.close();
    this.filesystem.close();
  }

  environment(user) {
    return { PATH: this.path, HOME: this.homes.of(user), USER: user, LOGNAME: user,
      ...this.envs };
  }

  #mayAsk(call) {
    const isOpen = OPEN_PATHS.includes(`${call.method} ${call.path}`);
    if (Date.now() < this.#blockedUntil && call.path !== '/health') {
      answerError(call.reply, 401, 'envd not initialized');
      return false;
    }
    if (this.token !== null && call.headers['x-access-token'] !== this.token && !isOpen) {
      answerError(call.reply, 401, 'unauthorized access, please provide a valid access token or ' +
        'method signing if supported');
      return false;
    }
    return true;
  }

  // The user of a method: whom the client names, else the one that envd was told.
  #identify({ headers }) {
    const match = /^Basic ([A-Za-z0-9+/=_-]+)$/i.exec(headers.authorization ?? '');
    if (match === null) {
      if (this.defaultUser !== undefined) return this.defaultUser;
      throw new ConnectError('unauthenticated', 'no user specified');
    }
    const [name] = Buffer.from(match[1], 'base64').toString().split(':');
    if (!this.homes.has(name)) {
      throw new ConnectError('unauthenticated', `invalid username: '${name}'`);
    }
    return name;
  }

  // call: { method, path, query, headers, body, reply, faults }.
  async handle(call) {
    if (!this.#mayAsk(call)) return;
    const run = { 'GET /health': this.#health, 'GET /metrics': this.#metrics,
      'GET /envs': this.#envs, 'POST /init': this.#init }[`${call.method} ${call.path}`];
    if (run !== undefined) {
      await run.call(this, call);
      return;
    }
    if (await this.files.handle(call)) return;
    const asked = { ...call, identify: () => this.#identify(call) };
    if (await callMethod(this.methods, asked, this.#isJsonOnly)) return;
    call.reply.head(404, { 'Content-Type': 'text/plain; charset=utf-8' });
    call.reply.end(Buffer.from('404 page not found\n'));
  }

  #health({ reply }) {
    answerNothing(reply, 204, { 'Cache-Control': 'no-store' });
  }

  #metrics({ reply }) {
    const { cpuCount, cpuUsedPct, memTotal, memUsed, memCache, diskUsed, diskTotal } = readVitals();
    answerJson(reply, 200, { ts: Math.floor(Date.now() / 1000), cpu_count: cpuCount,
      cpu_used_pct: cpuUsedPct, mem_total_mib: Math.floor(memTotal / 2 ** 20),
      mem_used_mib: Math.floor(memUsed / 2 ** 20), mem_total: memTotal, mem_used: memUsed,
      mem_cache: memCache, disk_used: diskUsed, disk_total: diskTotal });
  }

  #envs({ reply }) {
    answerJson(reply, 200, this.envs, { 'Cache-Control': 'no-store' });
  }

  async #init({ body, headers, reply }) {
    const list = [];
    for await (const chunk of body) list.push(chunk);
    let order;
    try {
      order = JSON.parse(Buffer.concat(list).toString() || '{}');
    } catch (error) {
      answerError(reply, 400, `invalid request body: ${error.message}`);
      return;
    }
    const { envVars, accessToken, defaultUser, defaultWorkdir } = order;
    const claimed = accessToken ?? headers['x-access-token'];
    if (this.token !== null && claimed !== this.token) {
      answerError(reply, 401, 'access token validation failed');
      return;
    }
    if (isObjectOfTexts(envVars)) this.envs = envVars;
    if (typeof accessToken === 'string') this.token = accessToken;
    if (this.homes.has(defaultUser ?? '')) this.defaultUser = defaultUser;
    if (typeof defaultWorkdir === 'string') this.workdir = defaultWorkdir;
    this.#blockedUntil = 0;
    answerNothing(reply);
  }
}
