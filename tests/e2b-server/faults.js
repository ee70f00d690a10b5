// Faults on order: which request goes wrong, and how. The language is told in README.md; here it
// is read, checked and counted. What an order does to an answer is reply.js, to a sandbox edge.js.

const ANYTHING = () => true;
const isCount = (value) => Number.isInteger(value) && value >= 0;
const isPositive = (value) => Number.isInteger(value) && value > 0;
const isText = (value) => typeof value === 'string';
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isFlag = (value) => typeof value === 'boolean';
const POINTS = ['asked', 'handled', 'head', 'start', 'data', 'keepalive', 'end', 'trailer'];
const isPoint = (value) => isCount(value) || POINTS.includes(value);
const isOneOf = (...words) => (value) => words.includes(value);
const isListOf = (...words) => (value) =>
  Array.isArray(value) && value.every((word) => words.includes(word));

const MATCHERS = { plane: isOneOf('api', 'envd'), method: isText, path: isText, rpc: isText,
  sandbox: isText, codec: isOneOf('json', 'proto') };

// Every kind with its words and their checks; the ones with a second value have a default.
const KINDS = {
  answer: { status: [isPositive, 500], headers: [isObject, {}], json: [ANYTHING], text: [isText],
    base64: [isText], late: [isFlag, false] },
  delay: { ms: [isCount] },
  cut: { at: [isPoint, 'head'], how: [isOneOf('reset', 'close', 'end'), 'reset'] },
  silence: { at: [isPoint, 'head'], ms: [isCount, 0] },
  segment: { bytes: [isPositive, 1], ms: [isCount, 0] },
  buffer: { bytes: [isPositive] },
  slowread: { bytes: [isPositive], ms: [isPositive] },
  reorder: { behind: [isPositive, 1], ms: [isPositive, 5000] },
  alter: { end: [isObject], trailer: [(value) => value === null || isObject(value)],
    drop: [isListOf('start', 'data', 'keepalive', 'end'), []], flags: [isCount] },
  expire: { at: [isPoint, 'asked'] },
  pause: { at: [isPoint, 'asked'] },
  restart: { at: [isPoint, 'asked'], ms: [isCount, 0] },
  upgrade: { at: [isPoint, 'asked'], ms: [isCount, 0] },
};
const NEEDED = { delay: ['ms'], buffer: ['bytes'], slowread: ['bytes', 'ms'] };

function refuse(text) {
  throw new Error(`fault: ${text}`);
}

function readMatcher(on) {
  if (!isObject(on)) refuse('"on" is no object');
  for (const [word, value] of Object.entries(on)) {
    if (!Object.hasOwn(MATCHERS, word)) refuse(`no such word in "on": ${word}`);
    if (!MATCHERS[word](value)) refuse(`a bad "${word}" in "on"`);
  }
  return on;
}

function readWords(kind, words) {
  const read = {};
  const table = KINDS[kind];
  for (const [word, value] of Object.entries(words)) {
    if (!Object.hasOwn(table, word)) refuse(`"${kind}" knows no "${word}"`);
    if (!table[word][0](value)) refuse(`"${kind}" has a bad "${word}"`);
  }
  for (const word of NEEDED[kind] ?? []) {
    if (words[word] === undefined) refuse(`"${kind}" wants "${word}"`);
  }
  for (const [word, [, standard]] of Object.entries(table)) {
    const value = words[word] ?? standard;
    if (words[word] !== undefined || value !== undefined) {
      read[word] = Object.hasOwn(words, word) ? words[word] : value;
    }
  }
  return read;
}

// Throws with one line where the order is not in the language.
export function readFault(order) {
  if (!isObject(order)) refuse('is no object');
  const { on = {}, do: kind, skip = 0, count = 1, ...words } = order;
  if (!Object.hasOwn(KINDS, kind ?? '')) refuse(`"do" is one of ${Object.keys(KINDS).join(', ')}`);
  if (!isCount(skip) || !isCount(count)) refuse('"skip" and "count" are whole numbers');
  return { on: readMatcher(on), kind, skip, count, ...readWords(kind, words) };
}

// `*` at the end of a pattern stands for any rest.
function matchesText(pattern, text) {
  if (pattern.endsWith('*')) return text.startsWith(pattern.slice(0, -1));
  return pattern === text;
}

function matches(on, request) {
  return Object.entries(on).every(([word, pattern]) =>
    request[word] !== undefined && matchesText(pattern, request[word]));
}

export class Faults {
  #list = [];
  #next = 1;

  // Orders stand until their count is used up; count 0 stands until it is cleared.
  order(text) {
    const orders = (Array.isArray(text) ? text : [text]).map(readFault);
    const standing = orders.map((fault) => {
      const one = { id: this.#next, ...fault, seen: 0, hits: 0, waiting: [] };
      this.#next += 1;
      return one;
    });
    this.#list.push(...standing);
    return standing.map(({ id }) => id);
  }

  // All that hold for this request, each counted: { plane, method, path, rpc, sandbox, codec }.
  take(request) {
    const taken = [];
    for (const fault of this.#list) {
      if (!matches(fault.on, request)) continue;
      fault.seen += 1;
      if (fault.seen <= fault.skip || (fault.count > 0 && fault.hits >= fault.count)) continue;
      fault.hits += 1;
      taken.push(fault);
    }
    return taken;
  }

  // A request was answered: those that were put behind it may go on.
  answered(request) {
    for (const fault of this.#list) {
      if (fault.waiting.length === 0 || !matches(fault.on, request)) continue;
      for (const waiter of [...fault.waiting]) waiter.passed(request);
    }
  }

  // Resolves when enough others that match were answered since, or its time is up.
  waitBehind(fault, request) {
    return new Promise((resolve) => {
      let left = fault.behind;
      const done = () => {
        clearTimeout(timer);
        fault.waiting = fault.waiting.filter((one) => one !== waiter);
        resolve();
      };
      const timer = setTimeout(done, fault.ms);
      const waiter = { passed: (other) => {
        if (other === request) return;
        left -= 1;
        if (left === 0) done();
      } };
      fault.waiting.push(waiter);
    });
  }

  list() {
    return this.#list.map(({ waiting, ...fault }) => ({ ...fault, waiting: waiting.length }));
  }

  clear() {
    this.#list = [];
  }
}
