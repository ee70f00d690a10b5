// The control plane: sandboxes by REST, versions 1 and 2.

import { answerError, answerJson, answerNothing } from './answers.js';
import { skewed } from './gate.js';
import { readVitals } from './vitals.js';

const CLIENT_ID = '6532622b'; // Every answer has one, and nobody needs it any more.
const TIMEOUT_V1_S = 15;
const TIMEOUT_V2_S = 300;
const REFRESH_MAX_S = 3600;
const PAGE_MAX = 100;
const BODY_MAX = 16 << 20;

class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

function fail(status, message) {
  throw new ApiError(status, message);
}

function missing(id) {
  fail(404, `Sandbox ${JSON.stringify(id)} doesn't exist or you don't have access to it`);
}

async function readBody({ body }) {
  const list = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > BODY_MAX) fail(400, 'Error when parsing request: http: request body too large');
    list.push(chunk);
  }
  if (size === 0) return {};
  let value;
  try {
    value = JSON.parse(Buffer.concat(list).toString());
  } catch (error) {
    fail(400, `Error when parsing request: ${error.message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    fail(400, 'Error when parsing request: value must be an object');
  }
  return value;
}

const isTexts = (value) => typeof value === 'object' && !Array.isArray(value) &&
  Object.values(value).every((text) => typeof text === 'string');
const isFlag = (value) => typeof value === 'boolean';
const isObject = (value) => typeof value === 'object' && !Array.isArray(value);

const ORDER_FIELDS = { metadata: isTexts, envVars: isTexts, autoPause: isFlag,
  autoPauseMemory: isFlag, autoResume: isObject, secure: isFlag, allow_internet_access: isFlag,
  network: isObject };

function pageOf(query) {
  const limit = Number(query.get('limit') ?? PAGE_MAX);
  if (!Number.isInteger(limit) || limit < 1 || limit > PAGE_MAX) fail(400, 'Invalid limit');
  const token = query.get('nextToken');
  const from = token === null ? 0 : Number(Buffer.from(token, 'base64url').toString());
  if (!Number.isInteger(from) || from < 0) fail(400, 'Invalid next token');
  return { limit, from };
}

// Every key and value is encoded once more inside the query.
function readMetadataFilter(text) {
  if (text === null) return [];
  try {
    return [...new URLSearchParams(text)]
      .map(([key, value]) => [decodeURIComponent(key), decodeURIComponent(value)]);
  } catch {
    return fail(400, 'Error when parsing metadata');
  }
}

export class Control {
  #fleet;
  #settings;
  #routes;

  constructor(fleet, settings) {
    this.#fleet = fleet;
    this.#settings = settings;
    const one = '/sandboxes/([^/]+)';
    const table = [
      ['GET', '/sandboxes', this.#listAll], ['POST', '/sandboxes', this.#createV1],
      ['GET', '/v2/sandboxes', this.#listPage], ['POST', '/v2/sandboxes', this.#createV2],
      ['GET', '/sandboxes/metrics', this.#metricsOfMany], ['GET', one, this.#info],
      ['DELETE', one, this.#kill], ['GET', `${one}/metrics`, this.#metrics],
      ['POST', `${one}/pause`, this.#pause], ['POST', `${one}/resume`, this.#resume],
      ['POST', `${one}/connect`, this.#connectV1],
      ['POST', `/v2${one}/connect`, this.#connectV2],
      ['POST', `${one}/timeout`, this.#setTimeout], ['PUT', `${one}/network`, this.#setNetwork],
      ['POST', `${one}/refreshes`, this.#refresh],
    ];
    this.#routes = table.map(([method, path, run]) =>
      ({ method, path, pattern: new RegExp(`^${path}$`), run }));
  }

  sandboxOf(request, path) {
    return /\/sandboxes\/(i[a-z0-9]+)(?=\/|$)/.exec(path)?.[1];
  }

  // call: { method, path, query, headers, body, reply }.
  async handle(call) {
    try {
      if (call.path === '/health') answerNothing(call.reply, 200);
      else await this.#dispatch(call);
    } catch (error) {
      answerError(call.reply, error.status ?? 500,
        error.status === undefined ? `internal error: ${error.message}` : error.message);
    }
  }

  // A server of before knows the list of version 2, and neither of the other two.
  #isHidden({ method, path }) {
    return this.#settings.api === 'v1' && method === 'POST' && path.startsWith('/v2/');
  }

  async #dispatch(call) {
    const known = this.#routes.filter(({ pattern }) => pattern.test(call.path));
    const route = known.find(({ method }) => method === call.method);
    if (route !== undefined && this.#isHidden(route)) {
      fail(this.#settings.v2Refusal, 'no matching operation was found');
    }
    if (known.length === 0) fail(404, 'no matching operation was found');
    if (route === undefined) fail(405, 'method not allowed');
    this.#authorize(call.headers);
    const [, id] = route.pattern.exec(call.path);
    const sandbox = id === undefined || route.path === '/sandboxes/metrics' ? null
      : this.#find(decodeURIComponent(id));
    await route.run.call(this, call, sandbox);
  }

  #authorize(headers) {
    const key = headers['x-api-key'];
    if (key === this.#settings.apiKey) return;
    const why = key === undefined ? 'API key is missing'
      : (key.startsWith('e2b_') ? 'Cannot get the team for the given API key'
        : 'Invalid API key format');
    fail(401, 'Invalid API key, please visit the documentation of E2B for more information. ' +
      why);
  }

  // Old ids had the client's behind a dash.
  #find(text) {
    const id = text.split('-')[0];
    if (!/^i[a-z0-9]+$/.test(id)) fail(400, 'Invalid sandbox ID');
    const sandbox = this.#fleet.find(id);
    return sandbox?.isListed ? sandbox : missing(id);
  }

  #readTimeout(value, standard) {
    const seconds = value ?? standard;
    if (!Number.isInteger(seconds)) {
      fail(400, 'Error when parsing request: timeout must be an integer');
    }
    if (seconds > this.#settings.maxHours * 3600) {
      fail(400, `Timeout cannot be greater than ${this.#settings.maxHours} hours`);
    }
    return seconds;
  }

  #readOrder(body, standard) {
    const { templateID } = body;
    if (typeof templateID !== 'string' || templateID === '') {
      fail(400, 'Error when parsing request: property "templateID" is missing');
    }
    for (const [name, isGood] of Object.entries(ORDER_FIELDS)) {
      if (body[name] !== undefined && body[name] !== null && !isGood(body[name])) {
        fail(400, `Error when parsing request: property ${JSON.stringify(name)} has a bad value`);
      }
    }
    const timeout = this.#readTimeout(body.timeout, standard);
    if (timeout <= 0) fail(400, 'Timeout must be greater than 0');
    if (!this.#settings.templates.includes(templateID.split(':')[0])) {
      fail(404, `template '${templateID}' not found`);
    }
    if (body.autoPauseMemory === false && !body.autoPause) {
      fail(400, 'autoPauseMemory=false only applies when autoPause is true.');
    }
    return { ...body, timeout };
  }

  #checkConcurrency() {
    const most = this.#settings.maxSandboxes;
    const running = this.#fleet.all.filter(({ state }) => state !== 'paused').length;
    if (running >= most) {
      fail(429, `you have reached the maximum number of concurrent E2B sandboxes (${most}). ` +
        'If you need more, please contact us');
    }
  }

  #asSandbox(sandbox) {
    return {
      templateID: sandbox.order.templateID, sandboxID: sandbox.id, clientID: CLIENT_ID,
      alias: sandbox.order.templateID, envdVersion: sandbox.envd.version,
      ...(sandbox.tokens.envd === null ? {} : { envdAccessToken: sandbox.tokens.envd }),
      trafficAccessToken: sandbox.tokens.traffic, domain: this.#settings.domain,
    };
  }

  #asListed(sandbox) {
    const { cpuCount, memTotal, diskTotal } = readVitals();
    return {
      templateID: sandbox.order.templateID, alias: sandbox.order.templateID,
      sandboxID: sandbox.id, clientID: CLIENT_ID,
      startedAt: skewed(sandbox.startedAt, this.#settings).toISOString(),
      endAt: skewed(sandbox.endAt, this.#settings).toISOString(), cpuCount,
      memoryMB: Math.floor(memTotal / 2 ** 20),
      diskSizeMB: Math.floor(diskTotal / 2 ** 20), metadata: sandbox.order.metadata ?? {},
      state: ['paused', 'pausing'].includes(sandbox.state) ? 'paused' : 'running',
      envdVersion: sandbox.envd.version,
    };
  }

  #create(call, order) {
    this.#checkConcurrency();
    answerJson(call.reply, 201, this.#asSandbox(this.#fleet.create(order)));
  }

  async #createV1(call) {
    const order = this.#readOrder(await readBody(call), TIMEOUT_V1_S);
    this.#create(call, { ...order, secure: order.secure ?? false });
  }

  async #createV2(call) {
    const order = this.#readOrder(await readBody(call), TIMEOUT_V2_S);
    this.#create(call, { ...order, secure: true });
  }

  #matching(query) {
    const wanted = readMetadataFilter(query.get('metadata'));
    const states = query.get('state')?.split(',');
    const after = query.get('startedAfter');
    const template = query.get('template');
    return this.#fleet.all.filter((sandbox) => {
      const { state } = this.#asListed(sandbox);
      return wanted.every(([key, value]) => sandbox.order.metadata?.[key] === value) &&
        (states === undefined || states.includes(state)) &&
        (after === null || sandbox.startedAt > new Date(after)) &&
        (template === null || sandbox.order.templateID === template);
    });
  }

  async #listAll(call) {
    const running = this.#matching(call.query).filter(({ state }) => state === 'running');
    answerJson(call.reply, 200, running.map((sandbox) => this.#asListed(sandbox)));
  }

  // The fleet is in the order of birth; the newest come first unless asked otherwise.
  async #listPage(call) {
    const { limit, from } = pageOf(call.query);
    const found = this.#matching(call.query);
    if (call.query.get('order') !== 'asc') found.reverse();
    const page = found.slice(from, from + limit);
    const running = found.filter(({ state }) => state === 'running').length;
    const headers = { 'X-Total-Running': running };
    if (from + limit < found.length) {
      headers['X-Next-Token'] = Buffer.from(String(from + limit)).toString('base64url');
    }
    answerJson(call.reply, 200, page.map((sandbox) => this.#asListed(sandbox)), headers);
  }

  async #info(call, sandbox) {
    const { order } = sandbox;
    answerJson(call.reply, 200, {
      ...this.#asListed(sandbox), domain: this.#settings.domain,
      ...(sandbox.tokens.envd === null ? {} : { envdAccessToken: sandbox.tokens.envd }),
      ...(order.allow_internet_access === undefined ? {}
        : { allowInternetAccess: order.allow_internet_access }),
      ...(order.network === undefined ? {} : { network: order.network }),
      lifecycle: { onTimeout: order.autoPause ? 'pause' : 'kill',
        autoResume: order.autoResume?.enabled ?? false },
    });
  }

  async #kill(call, sandbox) {
    await sandbox.kill();
    answerNothing(call.reply);
  }

  #sample() {
    const now = new Date();
    return { timestamp: now.toISOString(), timestampUnix: Math.floor(now.getTime() / 1000),
      ...readVitals() };
  }

  async #metrics(call, sandbox) {
    const [start, end] = ['start', 'end'].map((name) => call.query.get(name));
    const sample = this.#sample();
    const isWithin = (start === null || sample.timestampUnix >= Number(start)) &&
      (end === null || sample.timestampUnix <= Number(end));
    answerJson(call.reply, 200, sandbox.state === 'running' && isWithin ? [sample] : []);
  }

  async #metricsOfMany(call) {
    const ids = (call.query.get('sandbox_ids') ?? '').split(',').filter((id) => id !== '');
    if (ids.length === 0 || ids.length > PAGE_MAX) fail(400, 'Invalid sandbox_ids');
    const known = ids.filter((id) => this.#fleet.find(id) !== null);
    answerJson(call.reply, 200,
      { sandboxes: Object.fromEntries(known.map((id) => [id, this.#sample()])) });
  }

  async #pause(call, sandbox) {
    const { memory = true } = await readBody(call);
    if (sandbox.state === 'paused') {
      fail(409, `Error pausing sandbox - sandbox '${sandbox.id}' is already paused`);
    }
    if (sandbox.state !== 'running') {
      fail(409, `Sandbox '${sandbox.id}' cannot be paused while in '${sandbox.state}' state`);
    }
    await sandbox.pause(memory !== false);
    answerNothing(call.reply);
  }

  async #wake(call, sandbox, timeout, isResume) {
    await sandbox.settle();
    if (sandbox.state === 'running') {
      if (isResume) fail(409, `Sandbox ${sandbox.id} is already running`);
      sandbox.extend(timeout);
      answerJson(call.reply, 200, this.#asSandbox(sandbox));
      return;
    }
    if (sandbox.state !== 'paused') {
      fail(409, `Sandbox ${JSON.stringify(sandbox.id)} is being killed`);
    }
    this.#checkConcurrency();
    await sandbox.resume(timeout);
    answerJson(call.reply, 201, this.#asSandbox(sandbox));
  }

  async #resume(call, sandbox) {
    const { timeout } = await readBody(call);
    await this.#wake(call, sandbox, this.#readTimeout(timeout, TIMEOUT_V1_S), true);
  }

  async #connectV1(call, sandbox) {
    const { timeout } = await readBody(call);
    if (timeout === undefined) {
      fail(400, 'Error when parsing request: property "timeout" is missing');
    }
    await this.#wake(call, sandbox, this.#readTimeout(timeout, 0), false);
  }

  async #connectV2(call, sandbox) {
    const { timeout } = await readBody(call);
    await this.#wake(call, sandbox, this.#readTimeout(timeout, TIMEOUT_V2_S), false);
  }

  // Whatever is below zero ends it now.
  async #setTimeout(call, sandbox) {
    const { timeout } = await readBody(call);
    if (timeout === undefined) {
      fail(400, 'Error when parsing request: property "timeout" is missing');
    }
    const seconds = this.#readTimeout(timeout, 0);
    if (sandbox.state !== 'running') missing(sandbox.id);
    sandbox.liveFor(Math.max(0, seconds));
    answerNothing(call.reply);
  }

  async #setNetwork(call, sandbox) {
    const { allow_internet_access: isAllowed, ...network } = await readBody(call);
    if (sandbox.state !== 'running') {
      fail(409, `Sandbox '${sandbox.id}' is not running`);
    }
    sandbox.order.network = network;
    if (isAllowed !== undefined) sandbox.order.allow_internet_access = isAllowed;
    answerNothing(call.reply);
  }

  async #refresh(call, sandbox) {
    const { duration } = await readBody(call);
    const seconds = this.#readTimeout(duration, TIMEOUT_V1_S);
    if (seconds < 0 || seconds > REFRESH_MAX_S) {
      fail(400, `Error when parsing request: duration must be at most ${REFRESH_MAX_S}`);
    }
    if (sandbox.state !== 'running') missing(sandbox.id);
    sandbox.extend(Math.max(TIMEOUT_V1_S, seconds));
    answerNothing(call.reply);
  }
}
