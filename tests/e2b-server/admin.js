// The way in for tests: orders faults, tells what was asked and who runs, and lets things happen to
// a sandbox at once. Listens on a port of its own, which no fault reaches.

import { membersOf } from './census.js';
import { strikeSandbox } from './gate.js';

const EVENTS = ['expire', 'pause', 'restart', 'upgrade', 'cut'];
const CHANGEABLE = { envdVersion: 'string', api: 'string', v2Refusal: 'number', codec: 'string',
  domain: 'string', maxHours: 'number', maxSandboxes: 'number', maxConnections: 'number',
  transitionMs: 'number', retainMs: 'number', clockSkewS: 'number', path: 'string' };

async function readJson(request) {
  const list = [];
  for await (const chunk of request) list.push(chunk);
  return JSON.parse(Buffer.concat(list).toString() || '{}');
}

export class Admin {
  #faults;
  #journal;
  #fleet;
  #settings;

  constructor({ faults, journal, fleet, settings }) {
    this.#faults = faults;
    this.#journal = journal;
    this.#fleet = fleet;
    this.#settings = settings;
  }

  listener = (request, response) => {
    this.#serve(request).then((value) => {
      response.writeHead(value === null ? 404 : 200, { 'Content-Type': 'application/json' });
      response.end(`${JSON.stringify(value ?? { error: 'no such thing' })}\n`);
    }, (error) => {
      response.writeHead(400, { 'Content-Type': 'application/json' });
      response.end(`${JSON.stringify({ error: error.message })}\n`);
    });
  };

  async #serve(request) {
    const url = new URL(`http://admin${request.url}`);
    const [first, id, event] = url.pathname.slice(1).split('/');
    switch (`${request.method} ${first}`) {
      case 'POST faults': return { ids: this.#faults.order(await readJson(request)) };
      case 'GET faults': return this.#faults.list();
      case 'DELETE faults': return this.#clear(this.#faults);
      case 'GET requests': return this.#journal.list();
      case 'DELETE requests': return this.#clear(this.#journal);
      case 'GET sandboxes': return this.#fleet.all.map((sandbox) => this.#tell(sandbox));
      case 'POST sandboxes': return this.#strike(id, event, await readJson(request));
      case 'GET processes': return membersOf(url.searchParams.getAll('sandbox'));
      case 'GET settings': return this.#settings;
      case 'PATCH settings': return this.#change(await readJson(request));
      default: return null;
    }
  }

  #clear(what) {
    what.clear();
    return {};
  }

  #tell({ id, state, endAt, envd, openConnections }) {
    return { id, state, endAt, envdVersion: envd.version, home: envd.homes.of('user'),
      openConnections };
  }

  async #strike(id, event, { ms }) {
    const sandbox = this.#fleet.find(id);
    if (sandbox === null || !EVENTS.includes(event)) return null;
    await strikeSandbox(sandbox, event, ms);
    return {};
  }

  // For sandboxes that are made from now on, where it is about a sandbox.
  #change(values) {
    for (const [name, value] of Object.entries(values)) {
      if (typeof value !== CHANGEABLE[name]) throw new Error(`cannot change ${name} to that`);
    }
    return Object.assign(this.#settings, values);
  }
}
