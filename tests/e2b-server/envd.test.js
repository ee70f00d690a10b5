// What the wire of the server looks like to a client that is not E2B's own: both codecs, the
// quirks that the official client hides, and what the edge and the control plane answer.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';

import { envelope, readEnvelopes } from './connect.js';
import { fromJson } from './json.js';
import { Server, eventually, isAlive } from './launch.js';
import { decode, encode } from './proto.js';

let server;
let sandbox;

before(async () => {
  server = await Server.start();
  sandbox = await server.create({ metadata: { a: 'b' } });
});

after(async () => {
  assert.equal(await server.stop(), 0, server.said);
});

beforeEach(() => server.admin('DELETE', 'faults'));

const json = (value) => Buffer.from(JSON.stringify(value));
const framed = (bytes, flags = 0) =>
  Buffer.concat(envelope(flags, { list: [bytes], length: bytes.length }));

// A stream that is read event by event: next() gives one as JSON has it, or the trailer.
class Stream {
  static async open(method, message, { codec = 'json', headers = {}, to = sandbox } = {}) {
    const type = `process.${method}`;
    const bytes = codec === 'json' ? json(message)
      : encode(`${type}Request`, fromJson(`${type}Request`, message));
    const stop = new AbortController();
    const answer = await server.envd(to, `/process.Process/${method}`, { body: framed(bytes),
      headers: { 'Content-Type': `application/connect+${codec}`, ...headers },
      signal: stop.signal });
    const stream = new Stream();
    return Object.assign(stream, { answer, codec, type, abort: () => stop.abort(),
      envelopes: readEnvelopes(answer.body) });
  }

  async next() {
    const { value, done } = await this.envelopes.next();
    if (done) return null;
    if (value.flags & 2) return { trailer: JSON.parse(value.bytes.toString()) };
    if (this.codec === 'json') return JSON.parse(value.bytes.toString()).event;
    return decode(`${this.type}Response`, value.bytes).event;
  }

  async rest() {
    const events = [];
    for (let event = await this.next(); event !== null; event = await this.next()) {
      events.push(event);
    }
    return events;
  }
}

const sh = (script, more = {}) =>
  ({ process: { cmd: '/bin/sh', args: ['-c', script] }, stdin: false, ...more });

const textOf = (events) =>
  Buffer.concat(events.map((event) => Buffer.from(event.data?.stdout ?? '', 'base64'))).toString();

async function unary(method, message, { headers = {}, to = sandbox } = {}) {
  const answer = await server.envd(to, `/process.Process/${method}`, { body: json(message),
    headers: { 'Content-Type': 'application/json', ...headers } });
  return { status: answer.status, value: await answer.json() };
}

describe('processes', () => {
  test('zeros are left out', async () => {
    const events = await (await Stream.open('Start', sh('true'))).rest();
    assert.ok(events[0].start.pid > 1);
    assert.deepEqual(events.slice(1), [{ end: { exited: true, status: 'exit status 0' } },
      { trailer: {} }]);
  });

  test('in the binary form', async () => {
    const stream = await Stream.open('Start', sh('printf "\\000\\377"; printf e >&2; exit 3'),
      { codec: 'proto' });
    assert.equal(stream.answer.headers.get('content-type'), 'application/connect+proto');
    const events = await stream.rest();
    const text = (name) => Buffer.concat(events.map((event) => event.data?.[name])
      .filter((bytes) => bytes !== undefined)).toString('hex');
    assert.equal(text('stdout'), '00ff');
    assert.equal(text('stderr'), '65');
    assert.deepEqual(events.at(-2), { end: { exitCode: 3, exited: true, status: 'exit status 3',
      error: 'exit status 3' } });
    assert.deepEqual(events.at(-1), { trailer: {} });
  });

  test('unary in the binary form, and its errors as JSON', async () => {
    const bytes = encode('process.SendSignalRequest',
      { process: { pid: 4000000 }, signal: 'SIGNAL_SIGKILL' });
    const answer = await server.envd(sandbox, '/process.Process/SendSignal',
      { body: bytes, headers: { 'Content-Type': 'application/proto' } });
    assert.equal(answer.status, 404);
    assert.deepEqual(await answer.json(),
      { code: 'not_found', message: 'process with pid 4000000 not found' });
    const list = await server.envd(sandbox, '/process.Process/List',
      { body: '', headers: { 'Content-Type': 'application/proto' } });
    assert.deepEqual(decode('process.ListResponse', Buffer.from(await list.arrayBuffer())), {});
  });

  test('a program by its arguments, without a shell of its own', async () => {
    const stream = await Stream.open('Start',
      { process: { cmd: 'printf', args: ['%s|', 'a b', '$HOME', '', '*'] } });
    assert.equal(textOf(await stream.rest()), 'a b|$HOME||*|');
  });

  test('one that is not there ends with 127', async () => {
    const events = await (await Stream.open('Start', { process: { cmd: 'no-such' } })).rest();
    assert.equal(events.at(-2).end.exitCode, 127);
  });

  test('its pipes are pipes', async () => {
    const stream = await Stream.open('Start', sh('test -p /dev/stdin && test -p /dev/stdout && ' +
      'test -p /dev/stderr && echo reopened > /dev/stdout', { stdin: true }));
    assert.equal(textOf(await stream.rest()), 'reopened\n');
  });

  test('all are in one session, and no leader is one of a group', async () => {
    const text = async () => {
      const events = await (await Stream.open('Start', sh('cut -d" " -f1,5,6 /proc/$$/stat')))
        .rest();
      return Buffer.from(events[1].data.stdout, 'base64').toString().trim().split(' ');
    };
    const [[pid, ...ids], [, ...others]] = [await text(), await text()];
    assert.deepEqual(ids, others);
    assert.ok(!ids.includes(pid));
  });

  test('no chunk is over 32 KiB', async () => {
    const events = await (await Stream.open('Start', sh('head -c 500000 /dev/zero'),
      { codec: 'proto' })).rest();
    const sizes = events.map((event) => event.data?.stdout.length ?? 0);
    assert.ok(Math.max(...sizes) <= 32768);
    assert.equal(sizes.reduce((sum, size) => sum + size), 500000);
  });

  test('keepalives come as asked, and only in silence', async () => {
    const stream = await Stream.open('Start', sh('sleep 2.5'),
      { headers: { 'Keepalive-Ping-Interval': '1' } });
    const events = await stream.rest();
    assert.equal(events.filter((event) => event.keepalive !== undefined).length, 2);
    const busy = await Stream.open('Start',
      sh('for i in 1 2 3 4 5 6; do echo; sleep 0.3; done'),
      { headers: { 'Keepalive-Ping-Interval': '1' } });
    assert.ok((await busy.rest()).every((event) => event.keepalive === undefined));
  });

  test('a keepalive of zero is the end of envd', async () => {
    const own = await server.create();
    const stream = await Stream.open('Start', sh('sleep 1000'), { to: own });
    const { pid } = (await stream.next()).start;
    const lost = assert.rejects(stream.rest());
    const last = await Stream.open('Start', sh('sleep 1'),
      { to: own, headers: { 'Keepalive-Ping-Interval': '0' } }).catch(() => null);
    await assert.rejects(async () => last.rest());
    await lost;
    await eventually(() => !isAlive(pid), 'its processes are gone');
  });

  test('a limit of zero ends the stream and not the process', async () => {
    const stream = await Stream.open('Start', sh('sleep 0.5; echo > zero'),
      { headers: { 'Connect-Timeout-Ms': '0' } });
    assert.equal((await stream.rest()).at(-1).trailer.error.code, 'deadline_exceeded');
    await eventually(async () => (await server.envd(sandbox, '/files?path=zero',
      { method: 'GET' })).status === 200, 'it went on');
  });

  test('a limit that is no number', async () => {
    const stream = await Stream.open('Start', sh('true'),
      { headers: { 'Connect-Timeout-Ms': 'soon' } });
    assert.equal((await stream.rest())[0].trailer.error.code, 'invalid_argument');
  });

  test('a limit kills the leader alone, and its end is kept', async () => {
    const stream = await Stream.open('Start', sh('sleep 1000 & echo $!; wait'),
      { headers: { 'Connect-Timeout-Ms': '500' } });
    const { pid } = (await stream.next()).start;
    const child = Number(Buffer.from((await stream.next()).data.stdout, 'base64'));
    assert.equal((await stream.rest()).at(-1).trailer.error.code, 'deadline_exceeded');
    await eventually(() => !isAlive(pid), 'the leader dies');
    assert.ok(isAlive(child));
    process.kill(child, 'SIGKILL');
    const late = await (await Stream.open('Connect', { process: { pid } })).rest();
    assert.deepEqual(late, [{ start: { pid } }, { end: { exitCode: -1, status: 'signal: killed',
      error: 'signal: killed' } }, { trailer: {} }]);
  });

  test('a limit on connecting lets go and kills nobody', async () => {
    const first = await Stream.open('Start', sh('sleep 1; exit 4'));
    const { pid } = (await first.next()).start;
    const second = await Stream.open('Connect', { process: { pid } },
      { headers: { 'Connect-Timeout-Ms': '200' } });
    assert.equal((await second.rest()).at(-1).trailer.error.code, 'deadline_exceeded');
    assert.equal((await first.rest())[0].end.exitCode, 4);
  });

  test('SIGTERM, other signals, and a signal for nobody', async () => {
    const stream = await Stream.open('Start', sh('sleep 1000'));
    const { pid } = (await stream.next()).start;
    const signal = (name, to = pid) => unary('SendSignal', { process: { pid: to }, signal: name });
    assert.deepEqual(await signal('SIGNAL_UNSPECIFIED'), { status: 501,
      value: { code: 'unimplemented', message: 'invalid signal: SIGNAL_UNSPECIFIED' } });
    assert.equal((await signal('SIGNAL_SIGINT')).status, 400);
    assert.deepEqual(await signal('SIGNAL_SIGTERM'), { status: 200, value: {} });
    assert.deepEqual((await stream.rest())[0].end, { exitCode: -1, status: 'signal: terminated',
      error: 'signal: terminated' });
    assert.equal((await signal('SIGNAL_SIGKILL')).status, 404);
  });

  test('a signal ends the stream though others hold the output', async () => {
    const stream = await Stream.open('Start', sh('sleep 1000 & echo $!; wait'));
    const { pid } = (await stream.next()).start;
    const child = Number(Buffer.from((await stream.next()).data.stdout, 'base64'));
    await unary('SendSignal', { process: { pid }, signal: 'SIGNAL_SIGKILL' });
    assert.equal((await stream.rest())[0].end.exitCode, -1);
    assert.ok(isAlive(child));
    process.kill(child, 'SIGKILL');
  });

  test('input blocks while nobody reads, and arrives later all the same', async () => {
    await (await Stream.open('Start', sh('mkfifo go'))).rest();
    const stream = await Stream.open('Start', sh('read line < go; wc -c', { stdin: true }));
    const { pid } = (await stream.next()).start;
    const input = { process: { pid }, input: { stdin: Buffer.alloc(200000).toString('base64') } };
    const timed = await unary('SendInput', input, { headers: { 'Connect-Timeout-Ms': '300' } });
    assert.equal(timed.status, 504);
    assert.equal(timed.value.code, 'deadline_exceeded');
    await (await Stream.open('Start', sh('echo > go'))).rest();
    assert.equal((await unary('CloseStdin', { process: { pid } })).status, 200);
    assert.equal(textOf(await stream.rest()), '200000\n');
  });

  test('a pipe holds 64 KiB and no more', async () => {
    const stream = await Stream.open('Start', sh('sleep 1000', { stdin: true }));
    const { pid } = (await stream.next()).start;
    const send = (bytes) => unary('SendInput', { process: { pid },
      input: { stdin: Buffer.alloc(bytes).toString('base64') } },
    { headers: { 'Connect-Timeout-Ms': '200' } });
    assert.equal((await send(65536)).status, 200);
    assert.equal((await send(1)).status, 504);
    await unary('SendSignal', { process: { pid }, signal: 'SIGNAL_SIGKILL' });
    await stream.rest();
  });

  test('StreamInput in one request', async () => {
    const stream = await Stream.open('Start', sh('head -c 6', { stdin: true }));
    const { pid } = (await stream.next()).start;
    const messages = [{ start: { process: { pid } } }, { keepalive: {} },
      ...['abc', 'def'].map((text) =>
        ({ data: { input: { stdin: Buffer.from(text).toString('base64') } } }))];
    const answer = await server.envd(sandbox, '/process.Process/StreamInput', {
      body: Buffer.concat(messages.map((message) => framed(json(message)))),
      headers: { 'Content-Type': 'application/connect+json' } });
    const envelopes = [];
    for await (const one of readEnvelopes(answer.body)) envelopes.push(one);
    assert.deepEqual(envelopes.map(({ flags, bytes }) => [flags, bytes.toString()]),
      [[0, '{}'], [2, '{}']]);
    assert.equal(textOf(await stream.rest()), 'abcdef');
  });

  test('by tag it stops at another tag', async () => {
    const tags = ['one', 'two'];
    const streams = [];
    for (const tag of tags) streams.push(await Stream.open('Start', sh('sleep 1000', { tag })));
    const kill = (tag) => unary('SendSignal', { process: { tag }, signal: 'SIGNAL_SIGKILL' });
    assert.equal((await kill('two')).status, 404);
    assert.equal((await kill('one')).status, 200);
    await streams[0].rest();
    assert.equal((await kill('two')).status, 200);
    await streams[1].rest();
  });

  test('compressed where that is asked for', async () => {
    const stream = await Stream.open('Start', sh('head -c 20000 /dev/zero'),
      { headers: { 'Connect-Accept-Encoding': 'gzip' } });
    assert.equal(stream.answer.headers.get('connect-content-encoding'), 'gzip');
    const events = [];
    for await (const { flags, bytes } of stream.envelopes) {
      assert.equal(flags & 1, 1);
      events.push(JSON.parse(gunzipSync(bytes)));
    }
    assert.ok(events.some(({ event }) => event?.end?.exited));
    const body = gzipSync(json({}));
    const list = await server.envd(sandbox, '/process.Process/List', { body,
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' } });
    assert.equal(list.status, 200);
  });

  test('other methods and types are refused as Connect does', async () => {
    const ask = (path, more) => server.envd(sandbox, path, more).then(({ status }) => status);
    assert.equal(await ask('/process.Process/Start', { body: '{}',
      headers: { 'Content-Type': 'application/json' } }), 415);
    assert.equal(await ask('/process.Process/List', { body: '{}',
      headers: { 'Content-Type': 'text/plain' } }), 415);
    assert.equal(await ask('/process.Process/List', { method: 'GET' }), 405);
    assert.equal(await ask('/process.Process/Nothing', { body: '{}' }), 404);
    const bad = await unary('SendSignal', { process: 1 });
    assert.equal(bad.status, 400);
    assert.equal(bad.value.code, 'invalid_argument');
  });

  test('a server without the binary form', async () => {
    await server.admin('PATCH', 'settings', { codec: 'json-only' });
    const own = await server.create();
    await server.admin('PATCH', 'settings', { codec: 'both' });
    const stream = await Stream.open('Start', sh('true'), { codec: 'proto', to: own });
    assert.equal(stream.answer.status, 415);
    const plain = await Stream.open('Start', sh('true'), { to: own });
    assert.equal((await plain.rest()).length, 3);
  });

  test('an envd of old: no user by default, and stdin for everybody', async () => {
    await server.admin('PATCH', 'settings', { envdVersion: '0.2.9' });
    const own = await server.create();
    await server.admin('PATCH', 'settings', { envdVersion: server.envdVersion });
    const [{ trailer }] = await (await Stream.open('Start', sh('true'), { to: own })).rest();
    assert.deepEqual(trailer.error, { code: 'unauthenticated', message: 'no user specified' });
    const stream = await Stream.open('Start', sh('test -p /dev/stdin && echo a pipe'),
      { to: own, headers: { Authorization: `Basic ${btoa('user:')}` } });
    assert.equal(textOf(await stream.rest()), 'a pipe\n');
    const file = await server.envd(own, '/files?path=x', { method: 'GET' });
    assert.equal((await file.json()).message, 'username not provided');
  });

  test('what cannot be started', async () => {
    const large = { process: { cmd: 'true', args: ['x'.repeat(200000)] } };
    for (const message of [large, { process: { cmd: 'a\0b' } }]) {
      const [{ trailer }] = await (await Stream.open('Start', message)).rest();
      assert.equal(trailer.error.code, 'invalid_argument');
      assert.match(trailer.error.message, /^error starting process/);
    }
    assert.equal((await unary('List', {})).status, 200);
  });

  test('no token, a wrong one, and who needs none', async () => {
    const ask = async (path, token, method = 'POST') => {
      const { status } = await server.envd({ ...sandbox, envdAccessToken: token }, path,
        { method, headers: { 'Content-Type': 'application/json' },
          body: method === 'POST' ? '{}' : undefined });
      return status;
    };
    assert.equal(await ask('/process.Process/List', 'wrong'), 401);
    assert.equal(await ask('/health', 'wrong', 'GET'), 204);
    assert.equal(await ask('/metrics', 'wrong', 'GET'), 401);
    assert.equal(await ask('/metrics', sandbox.envdAccessToken, 'GET'), 200);
    const open = await (await server.api('POST', '/sandboxes', { templateID: 'base' })).json();
    assert.equal(open.envdAccessToken, undefined);
    const list = await unary('List', {}, { to: { ...open, envdAccessToken: 'whatever' } });
    assert.equal(list.status, 200);
  });
});

describe('files', () => {
  const get = (path, headers = {}) => server.envd(sandbox, path,
    { method: 'GET', headers: { 'Accept-Encoding': 'identity', ...headers } });
  const put = (path, body, type = 'application/octet-stream') =>
    server.envd(sandbox, path, { body, headers: { 'Content-Type': type } });

  test('parts of one', async () => {
    await put('/files?path=range', '0123456789');
    for (const [range, status, text, told] of [['bytes=2-4', 206, '234', 'bytes 2-4/10'],
      ['bytes=7-', 206, '789', 'bytes 7-9/10'], ['bytes=-2', 206, '89', 'bytes 8-9/10'],
      ['bytes=8-99', 206, '89', 'bytes 8-9/10'], ['bytes=0-0,2-2', 200, '0123456789', null]]) {
      const answer = await get('/files?path=range', { Range: range });
      assert.equal(answer.status, status, range);
      assert.equal(await answer.text(), text, range);
      assert.equal(answer.headers.get('content-range'), told, range);
    }
    const none = await get('/files?path=range', { Range: 'bytes=10-' });
    assert.equal(none.status, 416);
    assert.equal(none.headers.get('content-range'), 'bytes */10');
  });

  test('what has not changed', async () => {
    const { headers } = await get('/files?path=range');
    const again = await get('/files?path=range',
      { 'If-Modified-Since': headers.get('last-modified') });
    assert.equal(again.status, 304);
  });

  test('no path, no such type, two to one path', async () => {
    assert.equal((await put('/files', 'x')).status, 400);
    const typed = await put('/files?path=x', 'x', 'text/plain');
    assert.equal(typed.status, 400);
    assert.match((await typed.json()).message, /^unsupported content type: text\/plain/);
    const form = new FormData();
    for (const text of ['1', '2']) form.append('file', new Blob([text]), 'same');
    const answer = await server.envd(sandbox, '/files', { body: form });
    assert.equal(answer.status, 400);
    assert.match((await answer.json()).message, /multiple files to the same path/);
  });

  test('put together from pieces', async () => {
    for (const piece of ['p1', 'p2']) await put(`/files?path=${piece}`, `${piece}.`);
    const answer = await put('/files/compose',
      json({ source_paths: ['p1', 'p2'], destination: 'whole' }), 'application/json');
    assert.equal((await answer.json()).name, 'whole');
    assert.equal(await (await get('/files?path=whole')).text(), 'p1.p2.');
    assert.equal((await get('/files?path=p1')).status, 404);
  });

  test('an upload that is cut leaves what came', async () => {
    const request = httpRequest(`${server.sandboxUrl}/files?path=cut`, { method: 'POST', headers: {
      'Content-Type': 'application/octet-stream', 'Content-Length': 1000,
      'E2b-Sandbox-Id': sandbox.sandboxID, 'E2b-Sandbox-Port': 49983,
      'X-Access-Token': sandbox.envdAccessToken } });
    request.on('error', () => {});
    request.write('half');
    await eventually(async () => await (await get('/files?path=cut')).text() === 'half', 'it came');
    request.destroy();
    assert.equal(await (await get('/files?path=cut')).text(), 'half');
  });

  test('the usual home leads to the folder of the sandbox', async () => {
    const home = '/home/user';
    const answer = await put(`/files?path=${home}/homely`, 'x');
    const [{ path }] = await answer.json();
    assert.ok(path.startsWith(server.root) && existsSync(path));
    assert.equal(readFileSync(path, 'utf8'), 'x');
    const stream = await Stream.open('Start', { process: { cmd: 'ls', args: ['homely'],
      cwd: home } });
    assert.equal((await stream.rest()).at(-2).end.exitCode, undefined);
  });
});

describe('the edge', () => {
  const ask = (path, headers, more = {}) =>
    fetch(server.sandboxUrl + path, { headers, ...more });
  const target = (id, port = '49983') => ({ 'E2b-Sandbox-Id': id, 'E2b-Sandbox-Port': port });

  test('who is not there, for machines and for browsers', async () => {
    const answer = await ask('/health', target('inotthere'));
    assert.equal(answer.status, 502);
    assert.deepEqual(await answer.json(),
      { sandboxId: 'inotthere', message: 'The sandbox was not found', code: 502 });
    const page = await ask('/health', { ...target('inotthere'), 'User-Agent': 'Mozilla/5.0',
      Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate' });
    assert.equal(page.headers.get('content-type').split(';')[0], 'application/json');
    const raw = await rawGet('/health', { ...target('inotthere'), 'User-Agent': 'Mozilla/5.0' });
    assert.match(raw, /<h1>The sandbox was not found/);
  });

  // fetch() sends a mode of its own, which says that no browser asks.
  const rawGet = (path, headers) => new Promise((resolve, reject) => {
    httpRequest(server.sandboxUrl + path, { headers }, async (answer) => {
      let text = '';
      for await (const chunk of answer) text += chunk;
      resolve(text);
    }).on('error', reject).end();
  });

  test('half of the headers, other ports, paths of the inside', async () => {
    assert.equal((await ask('/health', {})).status, 400);
    assert.equal((await ask('/health', { 'E2b-Sandbox-Id': 'i1' })).status, 400);
    const closed = await ask('/', target(sandbox.sandboxID, '8080'));
    assert.equal(closed.status, 502);
    assert.equal((await closed.json()).port, 8080);
    const inside = await ask('/init', target(sandbox.sandboxID), { method: 'POST', body: '{}' });
    assert.equal(inside.status, 404);
  });

  test('by host', async () => {
    const text = await rawGet('/health', { Host: '49983-inotthere.example.test' });
    assert.equal(JSON.parse(text).sandboxId, 'inotthere');
  });

  test('between two states', async () => {
    const own = await server.create();
    await server.admin('PATCH', 'settings', { transitionMs: 300 });
    const pausing = server.api('POST', `/sandboxes/${own.sandboxID}/pause`);
    await sleep(100);
    assert.equal((await ask('/health', target(own.sandboxID))).status, 409);
    assert.equal((await pausing).status, 204);
    assert.equal((await ask('/health', target(own.sandboxID))).status, 502);
    const back = await server.api('POST', `/v2/sandboxes/${own.sandboxID}/connect`);
    assert.equal(back.status, 201);
    await server.admin('PATCH', 'settings', { transitionMs: 0 });
    assert.equal((await ask('/health', target(own.sandboxID))).status, 204);
  });

  test('too many connections', async () => {
    const own = await server.create();
    await server.admin('PATCH', 'settings', { maxConnections: 1 });
    const stream = await Stream.open('Start', sh('sleep 1000'), { to: own });
    const answer = await unary('List', {}, { to: own });
    await server.admin('PATCH', 'settings', { maxConnections: 0 });
    assert.equal(answer.status, 429);
    assert.equal(answer.value.connectionLimit, 1);
    stream.abort();
  });
});

describe('the control plane', () => {
  const status = async (...args) => (await server.api(...args)).status;

  test('versions 1 and 2 of create, and their times', async () => {
    for (const [path, seconds, secured] of
      [['/sandboxes', 15, false], ['/v2/sandboxes', 300, true]]) {
      const answer = await server.api('POST', path, { templateID: 'base' });
      assert.equal(answer.status, 201);
      const { sandboxID, envdAccessToken } = await answer.json();
      assert.equal(envdAccessToken !== undefined, secured);
      const info = await (await server.api('GET', `/sandboxes/${sandboxID}`)).json();
      const left = (new Date(info.endAt) - new Date(info.startedAt)) / 1000;
      assert.ok(Math.abs(left - seconds) < 1, `${path}: ${left} s`);
      assert.equal(await status('DELETE', `/sandboxes/${sandboxID}`), 204);
    }
  });

  test('connect and resume of both versions', async () => {
    const { sandboxID } = await server.create();
    const one = `/sandboxes/${sandboxID}`;
    assert.equal(await status('POST', `${one}/connect`, {}), 400);
    assert.equal(await status('POST', `${one}/connect`, { timeout: 10 }), 200);
    assert.equal(await status('POST', `/v2${one}/connect`), 200);
    assert.equal(await status('POST', `${one}/resume`, {}), 409);
    assert.equal(await status('POST', `${one}/pause`), 204);
    assert.equal(await status('POST', `${one}/pause`), 409);
    assert.equal(await status('POST', `${one}/timeout`, { timeout: 10 }), 404);
    assert.equal(await status('POST', `${one}/resume`, { timeout: 60 }), 201);
    assert.equal(await status('POST', `${one}/refreshes`, { duration: 100 }), 204);
    assert.equal(await status('POST', `${one}/refreshes`, { duration: 4000 }), 400);
    assert.equal(await status('POST', `${one}/timeout`, { timeout: -1 }), 204);
    await eventually(async () => await status('GET', one) === 404, 'its time is over');
    assert.equal(await status('DELETE', one), 404);
  });

  test('a server of version 1', async () => {
    for (const v2Refusal of [404, 405]) {
      await server.admin('PATCH', 'settings', { api: 'v1', v2Refusal });
      assert.equal(await status('POST', '/v2/sandboxes', { templateID: 'base' }), v2Refusal);
      assert.equal(await status('POST', `/v2/sandboxes/${sandbox.sandboxID}/connect`), v2Refusal);
      assert.equal(await status('GET', '/v2/sandboxes'), 200);
    }
    await server.admin('PATCH', 'settings', { api: 'v2', v2Refusal: 404 });
  });

  test('bad orders, each with its line', async () => {
    const message = async (body, path = '/v2/sandboxes') => {
      const answer = await fetch(server.apiUrl + path,
        { method: 'POST', body, headers: { 'X-API-Key': server.apiKey } });
      const value = await answer.json();
      assert.equal(value.code, answer.status);
      return `${answer.status} ${value.message}`;
    };
    assert.match(await message('{'), /^400 Error when parsing request/);
    assert.match(await message('[]'), /^400 Error when parsing request/);
    assert.match(await message('{}'), /^400 .*templateID/);
    assert.match(await message('{"templateID":"base","metadata":{"a":1}}'), /^400 .*metadata/);
    assert.match(await message('{"templateID":"base","timeout":"x"}'), /^400 .*integer/);
    assert.match(await message('{"templateID":"none"}'), /^404 .*not found/);
    assert.match(await message('{}', '/sandboxes/NOTANID/pause'), /^400 Invalid sandbox ID/);
    assert.match(await message('{}', '/nothing'), /^404/);
  });

  test('keys', async () => {
    for (const [key, words] of [[undefined, /missing/], ['e2b_00', /Cannot get the team/],
      ['secret', /format/]]) {
      const answer = await fetch(`${server.apiUrl}/v2/sandboxes`,
        { headers: key === undefined ? {} : { 'X-API-Key': key } });
      assert.equal(answer.status, 401);
      assert.match((await answer.json()).message, words);
    }
  });

  test('old ids, several metrics, the old list', async () => {
    const old = await (await server.api('GET', `/sandboxes/${sandbox.sandboxID}-6532622b`)).json();
    assert.equal(old.sandboxID, sandbox.sandboxID);
    assert.ok(!('network' in old) && !('allowInternetAccess' in old)); // Left out, not null.
    const many = await (await server.api('GET',
      `/sandboxes/metrics?sandbox_ids=${sandbox.sandboxID},inone`)).json();
    assert.deepEqual(Object.keys(many.sandboxes), [sandbox.sandboxID]);
    const list = await (await server.api('GET', '/sandboxes?metadata=a%3Db')).json();
    assert.deepEqual(list.map(({ sandboxID }) => sandboxID), [sandbox.sandboxID]);
  });
});
