// What was asked of the server, for tests that want to know: how often, in which order, how many
// at once, which faults struck. Secrets are not kept.

const MOST = 20000;
const SECRET = /^(x-api-key|x-access-token|authorization|e2b-traffic-access-token)$/;

function withoutSecrets(headers) {
  return Object.fromEntries(Object.entries(headers)
    .map(([name, value]) => [name, SECRET.test(name) ? '(kept secret)' : value]));
}

export class Journal {
  #entries = [];
  #open = new Set();
  #next = 1;

  // The entry of a request; `beside` counts those of the same method and sandbox in flight.
  open(request, headers, faults) {
    const isAlike = ({ plane, method, path, rpc, sandbox }) => plane === request.plane &&
      sandbox === request.sandbox && (rpc ?? method + path) ===
      (request.rpc ?? request.method + request.path);
    const entry = { n: this.#next, ...request, began: Date.now(), ms: null, status: null,
      requestBytes: 0, responseBytes: 0, beside: [...this.#open].filter(isAlike).length,
      faults: faults.map(({ id }) => id), headers: withoutSecrets(headers) };
    this.#next += 1;
    this.#entries.push(entry);
    if (this.#entries.length > MOST) this.#entries.shift();
    this.#open.add(entry);
    return entry;
  }

  // isWhole: the answer went out to its end.
  close(entry, { status, bytes, isWhole }) {
    this.#open.delete(entry);
    Object.assign(entry, { ms: Date.now() - entry.began, status, responseBytes: bytes, isWhole });
  }

  list() {
    return this.#entries;
  }

  clear() {
    this.#entries = [];
  }
}
