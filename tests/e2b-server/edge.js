// What stands before the sandboxes: finds the one that a request is for, by host or by headers,
// and answers itself where there is none.

import { answerError, answerJson } from './answers.js';

const ENVD_PORT = 49983;
const RESUMED_S = 300;
// Asked by the infrastructure alone; from outside there is no such path.
const INTERNAL_PATHS = ['/init', '/freeze', '/unfreeze', '/upgrade', '/fsfreeze', '/collapse'];

// { port, id }, or { error } with the words of a client's mistake.
function readTarget({ headers }) {
  const host = /^(\d+)-([a-z0-9]+)(?:-[a-z0-9]+)?\./.exec((headers.host ?? '').toLowerCase());
  if (host !== null) return { port: Number(host[1]), id: host[2] };
  const id = headers['e2b-sandbox-id'];
  const port = headers['e2b-sandbox-port'];
  if (id === undefined && port === undefined) return { error: 'Invalid host' };
  if (id === undefined || port === undefined) return { error: 'missing header' };
  if (!/^[a-z0-9]+$/.test(id)) return { error: 'Invalid sandbox ID' };
  if (!/^\d{1,5}$/.test(port)) return { error: 'Invalid sandbox port' };
  return { port: Number(port), id };
}

function wantsHtml(headers) {
  const accept = (headers.accept ?? '').toLowerCase();
  if (accept.includes('application/json') && !accept.includes('text/html')) return false;
  if (headers['x-requested-with'] !== undefined) return false;
  if (['cors', 'no-cors', 'same-origin'].includes(headers['sec-fetch-mode'])) return false;
  return /mozilla|chrome|safari|firefox|edge|opera|msie/i.test(headers['user-agent'] ?? '');
}

function refuse({ headers, reply }, status, id, message, more = {}) {
  if (wantsHtml(headers)) {
    reply.head(status, { 'Content-Type': 'text/html; charset=utf-8' });
    reply.end(Buffer.from(`<!doctype html><title>${status}</title><h1>${message}</h1>\n`));
    return;
  }
  answerJson(reply, status, { sandboxId: id, message, ...more, code: status });
}

// envd by itself, without anything before it: what E2B_DEBUG makes clients look for.
export class Alone {
  #sandbox;

  constructor(sandbox) {
    this.#sandbox = sandbox;
  }

  sandboxOf() {
    return this.#sandbox.id;
  }

  async handle(call) {
    this.#sandbox.enter(call.reply);
    await this.#sandbox.envd.handle(call);
  }
}

export class Edge {
  #fleet;
  #settings;

  constructor(fleet, settings) {
    this.#fleet = fleet;
    this.#settings = settings;
  }

  sandboxOf(request) {
    return readTarget(request).id;
  }

  async handle(call) {
    const { port, id, error } = readTarget(call.request);
    if (error !== undefined) {
      call.reply.head(400, { 'Content-Type': 'text/plain; charset=utf-8' });
      call.reply.end(Buffer.from(`${error}\n`));
      return;
    }
    if (INTERNAL_PATHS.includes(call.path) && !this.#settings.direct) {
      answerError(call.reply, 404, 'this path is reserved for the control plane');
      return;
    }
    const sandbox = this.#fleet.find(id);
    if (!await this.#isReady(sandbox, call, id)) return;
    if (port !== ENVD_PORT || sandbox.isDown) {
      refuse(call, 502, id, 'The sandbox is running but port is not open', { port });
      return;
    }
    await this.#pass(sandbox, call);
  }

  async #isReady(sandbox, call, id) {
    if (sandbox === null || sandbox.state === 'killing') {
      refuse(call, 502, id, 'The sandbox was not found');
      return false;
    }
    if (sandbox.state === 'paused' && sandbox.order.autoResume?.enabled) {
      return this.#resume(sandbox, call, id);
    }
    if (sandbox.state === 'paused') {
      refuse(call, 502, id, 'The sandbox was not found');
      return false;
    }
    if (sandbox.state !== 'running') {
      refuse(call, 409, id, 'The sandbox is still transitioning. Try again in a moment.');
      return false;
    }
    return true;
  }

  async #resume(sandbox, call, id) {
    const token = sandbox.tokens.envd;
    if (token !== null && call.headers['x-access-token'] !== token) {
      refuse(call, 403, id, "This sandbox can't be resumed with the credentials provided. " +
        'A valid access token is needed.');
      return false;
    }
    await sandbox.resume(Math.max(sandbox.order.timeout, RESUMED_S));
    return true;
  }

  async #pass(sandbox, call) {
    const most = this.#settings.maxConnections;
    if (most > 0 && sandbox.openConnections >= most) {
      refuse(call, 429, sandbox.id, 'The sandbox has too many concurrent incoming connections ' +
        `(limit: ${most})`, { connectionLimit: most });
      return;
    }
    sandbox.enter(call.reply);
    await sandbox.envd.handle(call);
  }
}
