// Where a request comes in, whatever it is for: it is written down, the faults that were ordered
// for it strike, and what is left of it goes to its handler.

import { setTimeout as sleep } from 'node:timers/promises';

import { answerError } from './answers.js';
import { Reply, resetSocket, writeOrdered } from './reply.js';
import { rpcOf } from './rpc.js';

// At most so many bytes at once, then a pause: the sender feels that nobody takes more.
async function* bodyOf(request, entry, slow) {
  for await (const chunk of request) {
    entry.requestBytes += chunk.length;
    if (slow === undefined) {
      yield chunk;
      continue;
    }
    for (let at = 0; at < chunk.length; at += slow.bytes) {
      yield chunk.subarray(at, at + slow.bytes);
      await sleep(slow.ms);
    }
  }
}

function readUrl(text) {
  try {
    return new URL(`http://server${text.startsWith('/') ? '' : '/'}${text}`);
  } catch {
    return null;
  }
}

// What the server takes for the time.
export function skewed(date, { clockSkewS }) {
  return new Date(date.getTime() + clockSkewS * 1000);
}

function codecOf(headers) {
  return /proto/.test(headers['content-type'] ?? '') ? 'proto' : 'json';
}

export class Gate {
  #plane;
  #handler;
  #faults;
  #journal;
  #fleet;
  #settings;

  // handler: { handle(call), sandboxOf(request, path) -> id or undefined }.
  constructor(plane, handler, { faults, journal, fleet, settings }) {
    this.#plane = plane;
    this.#handler = handler;
    this.#faults = faults;
    this.#journal = journal;
    this.#fleet = fleet;
    this.#settings = settings;
  }

  listener = (request, response) => {
    this.#serve(request, response).catch((error) => {
      console.error(`e2b-server: ${error.stack}`);
      response.destroy();
    });
  };

  #describe(request, path) {
    const rpc = rpcOf(path);
    return { plane: this.#plane, method: request.method, path, rpc,
      sandbox: this.#handler.sandboxOf(request, path),
      codec: rpc === undefined ? undefined : codecOf(request.headers) };
  }

  async #serve(request, response) {
    const url = readUrl(request.url);
    if (url === null) {
      writeOrdered(response, { status: 400, text: 'bad address\n' });
      return;
    }
    if (this.#settings.clockSkewS !== 0) {
      response.setHeader('Date', skewed(new Date(), this.#settings).toUTCString());
    }
    const about = this.#describe(request, url.pathname);
    const faults = this.#faults.take(about);
    const entry = this.#journal.open(about, request.headers, faults);
    const reply = new Reply(response, faults, (fault) => this.#strike(fault, about.sandbox));
    response.once('close', () => {
      this.#journal.close(entry, { status: response.headersSent ? response.statusCode : null,
        bytes: reply.bytes, isWhole: response.writableFinished });
      this.#faults.answered(about);
    });
    if (await this.#befall(faults, about, response)) return;
    const slow = faults.find(({ kind }) => kind === 'slowread');
    try {
      await this.#handler.handle({ method: request.method, path: url.pathname,
        query: url.searchParams, headers: request.headers, request, reply, faults,
        body: bodyOf(request, entry, slow) });
    } catch (error) {
      if (error.code === 'ECONNRESET' || error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
      if (!reply.isStarted) answerError(reply, 500, `internal error: ${error.message}`);
      throw error;
    }
  }

  // What strikes before the request is handled; true where nothing is left to be done.
  async #befall(faults, about, response) {
    for (const fault of faults) {
      if (fault.kind === 'delay') await sleep(fault.ms);
      else if (fault.kind === 'reorder') await this.#faults.waitBehind(fault, about);
      else if (fault.kind === 'answer' && !fault.late) {
        writeOrdered(response, fault);
        return true;
      } else if (fault.at === 'asked' && await this.#befallAsked(fault, about, response)) {
        return true;
      }
    }
    return false;
  }

  async #befallAsked(fault, about, response) {
    if (fault.kind === 'cut') {
      if (fault.how === 'reset') resetSocket(response.socket);
      else response.destroy();
      return true;
    }
    if (fault.kind === 'silence') {
      if (fault.ms === 0) return true;
      await sleep(fault.ms);
      return false;
    }
    await this.#strike(fault, about.sandbox);
    return false;
  }

  async #strike({ kind, ms }, id) {
    const sandbox = this.#fleet.find(id);
    if (sandbox === null) return;
    await strikeSandbox(sandbox, kind, ms);
  }
}

// What can happen to a sandbox by order, at once or in the course of a request.
export async function strikeSandbox(sandbox, kind, ms = 0) {
  if (kind === 'expire') await sandbox.expire();
  else if (kind === 'pause') await sandbox.pause(true);
  else if (kind === 'restart') await sandbox.restart(ms);
  else if (kind === 'upgrade') sandbox.upgrade(ms);
  else if (kind === 'cut') sandbox.cutConnections();
}
