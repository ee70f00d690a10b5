// Every fault does what was ordered, to whom it was ordered for, and so often.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';

import { readEnvelopes } from './connect.js';
import { Faults, readFault } from './faults.js';
import { Server, eventually, isAlive } from './launch.js';

let server;
let sandbox;

before(async () => {
  server = await Server.start();
  sandbox = await server.create();
});

after(async () => {
  assert.equal(await server.stop(), 0, server.said);
});

beforeEach(async () => {
  await server.admin('DELETE', 'faults');
  await server.admin('DELETE', 'requests');
});

const LIST = { rpc: 'List' };
const list = () => server.envd(sandbox, '/process.Process/List',
  { body: '{}', headers: { 'Content-Type': 'application/json' } });
const order = (words) => server.fault({ on: LIST, ...words });

// The raw bytes of an answer as { text, chunks, error }, until the connection is over or ms passed.
function raw(path, body, { ms = 3000, type = 'application/json', to = sandbox } = {}) {
  const { port } = new URL(server.sandboxUrl);
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    const chunks = [];
    const finish = (error = null) => {
      socket.destroy();
      resolve({ text: Buffer.concat(chunks).toString('latin1'), chunks, error });
    };
    socket.setTimeout(ms, () => finish('silence'));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error) => finish(error.code));
    // Node takes a reset behind the last bytes for an end; who still can write was not reset.
    socket.on('end', () => socket.write('\n', (error) => finish(error ? 'ECONNRESET' : null)));
    socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n` +
      `E2b-Sandbox-Id: ${to.sandboxID}\r\nE2b-Sandbox-Port: 49983\r\nConnection: close\r\n` +
      `X-Access-Token: ${to.envdAccessToken}\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.write(body);
  });
}

const rawList = (more) => raw('/process.Process/List', Buffer.from('{}'), more);
const STAT = { rpc: 'Stat' };
const rawStat = (more) => raw('/filesystem.Filesystem/Stat', Buffer.from('{"path":"."}'), more);
const bodyOf = (text) => text.slice(text.indexOf('\r\n\r\n') + 4);

function startBody(script, stdin = false) {
  const json = Buffer.from(JSON.stringify({ stdin,
    process: { cmd: '/bin/sh', args: ['-c', script] } }));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(json.length, 1);
  return Buffer.concat([head, json]);
}

const rawStart = (script, more) => raw('/process.Process/Start', startBody(script),
  { type: 'application/connect+json', ...more });

const start = (script) => server.envd(sandbox, '/process.Process/Start',
  { body: startBody(script), headers: { 'Content-Type': 'application/connect+json' } });

async function eventsOf(answer) {
  const events = [];
  for await (const { flags, bytes } of readEnvelopes(answer.body)) {
    const value = JSON.parse(bytes);
    events.push(flags & 2 ? { trailer: value } : value.event);
  }
  return events;
}

describe('the language', () => {
  test('what is not in it is refused by one line', () => {
    for (const [text, words] of [[1, /no object/], [{}, /"do" is one of/],
      [{ do: 'explode' }, /"do" is one of/], [{ do: 'cut', on: { rpx: 'x' } }, /rpx/],
      [{ do: 'cut', on: { rpc: 1 } }, /bad "rpc"/], [{ do: 'cut', at: 'noon' }, /bad "at"/],
      [{ do: 'cut', ms: 3 }, /knows no "ms"/], [{ do: 'delay' }, /wants "ms"/],
      [{ do: 'cut', skip: -1 }, /whole numbers/], [{ do: 'segment', bytes: 0 }, /bad "bytes"/]]) {
      assert.throws(() => readFault(text), words);
    }
    assert.deepEqual(readFault({ do: 'cut' }),
      { on: {}, kind: 'cut', skip: 0, count: 1, at: 'head', how: 'reset' });
  });

  test('nothing of an order that is refused stands', async () => {
    await assert.rejects(server.fault({ do: 'delay', ms: 1 }, { do: 'nonsense' }), /"do" is one/);
    assert.deepEqual(await server.admin('GET', 'faults'), []);
  });

  test('who is meant, how often, after how many', () => {
    const faults = new Faults();
    faults.order([{ do: 'delay', ms: 1, on: { path: '/sandboxes/*', method: 'GET' }, skip: 1,
      count: 2 }, { do: 'delay', ms: 2, count: 0 }]);
    const taken = (path, method = 'GET') => faults.take({ path, method }).map(({ ms }) => ms);
    assert.deepEqual(taken('/other'), [2]);
    assert.deepEqual(taken('/sandboxes/i1', 'POST'), [2]);
    assert.deepEqual([1, 2, 3, 4].map(() => taken('/sandboxes/i1')), [[2], [1, 2], [1, 2], [2]]);
    assert.deepEqual(faults.list().map(({ seen, hits }) => [seen, hits]), [[4, 2], [6, 6]]);
  });

  test('a file of them stands from the beginning', async () => {
    const other = await Server.start('--faults',
      new URL('faults.example.json', import.meta.url).pathname);
    assert.equal((await other.admin('GET', 'faults')).length, 2);
    const answer = await other.api('GET', '/v2/sandboxes');
    assert.equal(answer.status, 429);
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.equal(await other.stop(), 0);
  });
});

describe('answers', () => {
  test('another one, without asking the handler', async () => {
    await order({ do: 'answer', status: 429, headers: { 'Retry-After': '7' },
      json: { code: 429 } });
    const answer = await list();
    assert.equal(answer.status, 429);
    assert.equal(answer.headers.get('retry-after'), '7');
    assert.deepEqual(await answer.json(), { code: 429 });
    assert.equal((await list()).status, 200);
  });

  test('text, bytes, nothing', async () => {
    await order({ do: 'answer', status: 502, headers: { 'Content-Type': 'text/html' },
      text: '<html>' });
    const html = await list();
    assert.equal(html.headers.get('content-type'), 'text/html');
    assert.equal(await html.text(), '<html>');
    await order({ do: 'answer', status: 200, base64: 'AP8=' });
    assert.equal(Buffer.from(await (await list()).arrayBuffer()).toString('hex'), '00ff');
    await order({ do: 'answer', status: 504 });
    assert.equal(await (await list()).text(), '');
  });

  test('late: it was done, and the answer tells otherwise', async () => {
    await server.fault({ on: { rpc: 'Start' }, do: 'answer', status: 502, late: true,
      json: { code: 502 } });
    const answer = await start('echo > done');
    assert.equal(answer.status, 502);
    await eventually(async () => (await server.envd(sandbox, '/files?path=done',
      { method: 'GET' })).status === 200, 'it ran');
  });

  test('later', async () => {
    await order({ do: 'delay', ms: 300 });
    const began = Date.now();
    await list();
    assert.ok(Date.now() - began >= 299);
  });
});

describe('cuts', () => {
  test('before it is handled, before a word, after the head', async () => {
    for (const at of ['asked', 'handled']) {
      await server.fault({ on: STAT, do: 'cut', at });
      assert.deepEqual(await rawStat(), { text: '', chunks: [], error: 'ECONNRESET' }, at);
    }
    await server.fault({ on: STAT, do: 'cut', at: 'head' });
    const { text, error } = await rawStat();
    assert.equal(error, 'ECONNRESET');
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n$/);
  });

  test('at every byte of the body', async () => {
    const whole = bodyOf((await rawStat()).text);
    assert.ok(whole.length > 200);
    for (let at = 1; at < whole.length; at += 1) {
      await server.fault({ on: STAT, do: 'cut', at });
      const { text, error } = await rawStat();
      assert.equal(bodyOf(text), whole.slice(0, at));
      assert.equal(error, 'ECONNRESET');
    }
  });

  test('a short answer ends though its head promised more', async () => {
    await server.fault({ on: STAT, do: 'cut', at: 3, how: 'end' });
    const { text, error } = await rawStat();
    assert.equal(bodyOf(text).length, 3);
    assert.equal(error, null);
  });

  test('the nearest of several comes first', async () => {
    await server.fault({ on: STAT, do: 'cut', at: 8 });
    await server.fault({ on: STAT, do: 'silence', at: 4, ms: 100 });
    const { text, error } = await rawStat();
    assert.equal(bodyOf(text).length, 8);
    assert.equal(error, 'ECONNRESET');
  });

  test('by a reset, a close, a whole end of less', async () => {
    for (const [how, error] of [['reset', 'ECONNRESET'], ['close', null], ['end', null]]) {
      await server.fault({ on: { rpc: 'Start' }, do: 'cut', at: 30, how });
      const answer = await rawStart('echo hello');
      assert.equal(answer.error, error, how);
      assert.equal(/\r\n0\r\n\r\n$/.test(answer.text), how === 'end', how);
    }
  });

  test('behind an event', async () => {
    for (const [at, last] of [['start', '"start"'], ['data', '"data"'], ['end', '"end"'],
      ['trailer', '{}']]) {
      await server.fault({ on: { rpc: 'Start' }, do: 'cut', at, how: 'close' });
      const { text } = await rawStart('echo hello');
      const found = ['"start"', '"data"', '"end"'].filter((word) => text.includes(word));
      if (last === '{}') assert.ok(text.includes('\x02\0\0\0\x02{}'));
      else assert.equal(found.at(-1), last);
    }
  });
});

describe('the way of the bytes', () => {
  test('silence for ever, and for a while', async () => {
    await order({ do: 'silence', at: 'handled' });
    assert.deepEqual(await rawList({ ms: 400 }), { text: '', chunks: [], error: 'silence' });
    await server.fault({ on: { rpc: 'Start' }, do: 'silence', at: 'start' });
    const { text, error } = await rawStart('echo hello', { ms: 600 });
    assert.equal(error, 'silence');
    assert.ok(text.includes('"start"') && !text.includes('"data"'));
    await server.fault({ on: { rpc: 'Start' }, do: 'silence', at: 'start', ms: 300 });
    const began = Date.now();
    const events = await eventsOf(await start('echo hello'));
    assert.ok(Date.now() - began >= 299);
    assert.deepEqual(events.map((event) => Object.keys(event)[0]),
      ['start', 'data', 'end', 'trailer']);
  });

  test('single bytes, and the whole of them', async () => {
    await server.fault({ on: { rpc: 'Start' }, do: 'segment', bytes: 1 });
    const { text } = await rawStart('echo hello');
    assert.ok(text.split('\r\n').filter((line) => line === '1').length > 50);
    await server.fault({ on: { rpc: 'Start' }, do: 'segment', bytes: 7, ms: 5 });
    const { chunks } = await rawStart('echo hello');
    assert.ok(chunks.length > 15, `${chunks.length} pieces`);
    await server.fault({ on: { rpc: 'Start' }, do: 'segment' });
    assert.equal((await eventsOf(await start('echo hello'))).length, 4);
  });

  test('held back until there is enough', async () => {
    await server.fault({ on: { rpc: 'Start' }, do: 'buffer', bytes: 4096 });
    const early = await rawStart('echo hello; sleep 1', { ms: 500 });
    assert.equal(bodyOf(early.text), '');
    await server.fault({ on: { rpc: 'Start' }, do: 'buffer', bytes: 4096 });
    assert.equal((await eventsOf(await start('echo hello'))).length, 4);
  });

  test('a server that reads slowly', async () => {
    await server.fault({ on: { path: '/files' }, do: 'slowread', bytes: 100, ms: 50 });
    const began = Date.now();
    await server.envd(sandbox, '/files?path=slow', { body: 'x'.repeat(1000),
      headers: { 'Content-Type': 'application/octet-stream' } });
    assert.ok(Date.now() - began >= 490);
  });

  test('one request falls behind the next, and waits no longer than told', async () => {
    const make = async (path) => {
      const answer = await server.envd(sandbox, '/filesystem.Filesystem/MakeDir',
        { body: JSON.stringify({ path }), headers: { 'Content-Type': 'application/json' } });
      await answer.text();
      done.push(path);
    };
    const done = [];
    await server.fault({ on: { rpc: 'MakeDir' }, do: 'reorder' });
    const first = make('first');
    await eventually(async () => (await server.admin('GET', 'faults'))[0].waiting === 1,
      'the first waits');
    await Promise.all([first, make('second')]);
    assert.deepEqual(done, ['second', 'first']);
    await server.fault({ on: { rpc: 'MakeDir' }, do: 'reorder', ms: 100 });
    await make('alone');
    assert.equal(done.at(-1), 'alone');
  });
});

describe('what is told', () => {
  test('another end, no trailer, another trailer, nothing of a kind', async () => {
    const altered = async (words) => {
      await server.fault({ on: { rpc: 'Start' }, do: 'alter', ...words });
      return eventsOf(await start('exit 3'));
    };
    const [, { end }] = await altered({ end: { exitCode: 137, status: 'killed', error: null } });
    assert.deepEqual(end, { exitCode: 137, exited: true, status: 'killed' });
    const bare = await altered({ trailer: null });
    assert.deepEqual(bare.map((event) => Object.keys(event)[0]), ['start', 'end']);
    const [failed] = await altered({ drop: ['start', 'end'],
      trailer: { error: { code: 'unavailable' } } });
    assert.deepEqual(failed, { trailer: { error: { code: 'unavailable' } } });
  });

  test('another mark on the envelopes', async () => {
    await server.fault({ on: { rpc: 'Start' }, do: 'alter', flags: 1 });
    const flags = [];
    for await (const one of readEnvelopes((await start('true')).body)) flags.push(one.flags);
    assert.deepEqual(flags, [1, 1, 3]);
  });
});

describe('what becomes of the sandbox', () => {
  test('its time is over at the start of a command', async () => {
    const own = await server.create();
    await server.fault({ on: { rpc: 'Start', sandbox: own.sandboxID }, do: 'expire',
      at: 'start' });
    const { text, error } = await rawStart('sleep 1000', { to: own });
    assert.notEqual(error, 'silence');
    const pid = Number(/"pid":(\d+)/.exec(text)[1]);
    await eventually(() => !isAlive(pid), 'its processes are gone');
    assert.equal((await server.api('GET', `/sandboxes/${own.sandboxID}`)).status, 404);
  });

  test('it pauses, by order', async () => {
    const own = await server.create();
    await server.fault({ on: { path: '/health', sandbox: own.sandboxID }, do: 'pause' });
    assert.equal((await server.envd(own, '/health', { method: 'GET' })).status, 502);
    const info = await (await server.api('GET', `/sandboxes/${own.sandboxID}`)).json();
    assert.equal(info.state, 'paused');
  });

  test('envd is away for a while', async () => {
    const own = await server.create();
    await server.admin('POST', `sandboxes/${own.sandboxID}/restart`, { ms: 400 });
    const answer = await server.envd(own, '/health', { method: 'GET' });
    assert.equal(answer.status, 502);
    assert.match((await answer.json()).message, /port is not open/);
    await eventually(async () =>
      (await server.envd(own, '/health', { method: 'GET' })).status === 204, 'it is back');
  });

  test('envd is replaced: nobody is let in, ends are told otherwise', async () => {
    const own = await server.create();
    const streaming = rawStart('sleep 0.5; kill -9 $$', { to: own });
    await eventually(async () =>
      (await server.admin('GET', `processes?sandbox=${own.sandboxID}`)).length > 0, 'it runs');
    await server.admin('POST', `sandboxes/${own.sandboxID}/upgrade`, { ms: 200 });
    const pid = Number(/"pid":(\d+)/.exec((await streaming).text)[1]);
    const asked = await server.envd(own, '/process.Process/List',
      { body: '{}', headers: { 'Content-Type': 'application/json' } });
    assert.equal(asked.status, 401);
    assert.equal((await asked.json()).message, 'envd not initialized');
    await eventually(() => !isAlive(pid), 'it dies');
    const json = Buffer.from(JSON.stringify({ process: { pid } }));
    const head = Buffer.alloc(5);
    head.writeUInt32BE(json.length, 1);
    const late = await eventsOf(await server.envd(own, '/process.Process/Connect',
      { body: Buffer.concat([head, json]),
        headers: { 'Content-Type': 'application/connect+json' } }));
    assert.deepEqual(late[1], { end: { exitCode: 137, status: 'killed' } });
  });
});

describe('the journal', () => {
  test('what was asked, with what, how often at once', async () => {
    await order({ do: 'delay', ms: 200, count: 2 });
    await Promise.all([list(), list()]);
    const entries = await server.admin('GET', 'requests');
    assert.deepEqual(entries.map(({ rpc, status, codec, requestBytes, isWhole }) =>
      ({ rpc, status, codec, requestBytes, isWhole })), Array(2).fill(
      { rpc: 'List', status: 200, codec: 'json', requestBytes: 2, isWhole: true }));
    assert.deepEqual(entries.map(({ beside }) => beside), [0, 1]);
    assert.equal(entries[0].faults.length, 1);
    assert.equal(entries[0].headers['x-access-token'], '(kept secret)');
    assert.ok(!JSON.stringify(entries).includes(sandbox.envdAccessToken));
  });

  test('nothing answered, no status', async () => {
    await order({ do: 'cut', at: 'handled' });
    await rawList();
    await eventually(async () => {
      const [entry] = await server.admin('GET', 'requests');
      return entry.isWhole === false && entry.status === null;
    }, 'it is written down');
  });

  test('a cut is no whole answer', async () => {
    await order({ do: 'cut', at: 1 });
    await rawList();
    await eventually(async () => {
      const [entry] = await server.admin('GET', 'requests');
      return entry.isWhole === false && entry.status === 200;
    }, 'it is written down');
  });
});
