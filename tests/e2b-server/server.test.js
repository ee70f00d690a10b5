// The server as a program: what it prints, what it takes, and that it leaves nothing behind,
// however it ends.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { Sandbox } from 'e2b';

import { Server, eventually, isAlive } from './launch.js';

const PROGRAM = fileURLToPath(new URL('server.js', import.meta.url));

function startBody(script) {
  const json = Buffer.from(JSON.stringify({ stdin: false,
    process: { cmd: '/bin/sh', args: ['-c', script] } }));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(json.length, 1);
  return Buffer.concat([head, json]);
}

// A server with processes of every kind in it: { server, pids }.
async function startBusy() {
  const server = await Server.start();
  const sandbox = await server.create();
  const script = 'sleep 1000 & (setsid sleep 1000 &) ; (trap "" TERM; sleep 1000) & wait';
  server.envd(sandbox, '/process.Process/Start', { body: startBody(script),
    headers: { 'Content-Type': 'application/connect+json' } })
    .then((answer) => answer.text()).catch(() => {});
  const members = () => server.admin('GET', `processes?sandbox=${sandbox.sandboxID}`);
  await eventually(async () => (await members()).length >= 4, 'four run');
  return { server, sandbox, pids: (await members()).map(({ pid }) => pid) };
}

async function assertGone({ server, pids }) {
  await eventually(() => !pids.some(isAlive), 'the processes are gone');
  await eventually(() => !existsSync(server.root), 'the folder is gone');
  await assert.rejects(fetch(server.adminUrl));
  assert.equal(isAlive(server.pid), false);
}

describe('its end', () => {
  test('with its stdin', async () => {
    const busy = await startBusy();
    assert.equal(await busy.server.stop(), 0, busy.server.said);
    await assertGone(busy);
  });

  test('by SIGTERM', async () => {
    const busy = await startBusy();
    busy.server.child.kill('SIGTERM');
    assert.deepEqual(await busy.server.exited, [0, null]);
    await assertGone(busy);
  });

  test('when the one that watches is killed', async () => {
    const busy = await startBusy();
    busy.server.child.kill('SIGKILL');
    await eventually(() => !isAlive(busy.server.pid), 'the server follows');
    await assertGone(busy);
  });

  test('when the one that serves is killed', async () => {
    const busy = await startBusy();
    process.kill(busy.server.pid, 'SIGKILL');
    assert.deepEqual(await busy.server.exited, [1, null]);
    await assertGone(busy);
  });

  test('when a command kills its own group', async () => {
    const busy = await startBusy();
    await busy.server.envd(busy.sandbox, '/process.Process/Start', { body: startBody('kill -9 0'),
      headers: { 'Content-Type': 'application/connect+json' } })
      .then((answer) => answer.text()).catch(() => {});
    assert.deepEqual(await busy.server.exited, [1, null]);
    await assertGone(busy);
  });
});

describe('its line', () => {
  const run = (...args) => spawnSync(process.execPath, [PROGRAM, ...args],
    { encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'], timeout: 20000 });

  test('one of JSON, and words for people', () => {
    const { stdout, stderr, status } = run('--port', '0');
    assert.equal(status, 0);
    const about = JSON.parse(stdout);
    assert.equal(stdout.trim().split('\n').length, 1);
    for (const name of ['apiUrl', 'sandboxUrl', 'adminUrl']) {
      assert.match(about[name], /^http:\/\/127\.0\.0\.1:\d+$/);
    }
    assert.match(about.apiKey, /^e2b_[0-9a-f]+$/);
    assert.match(stderr, /^e2b-server: the API is at http/);
  });

  test('options that are none', () => {
    for (const [args, words] of [[['--nonsense'], /nonsense/], [['--port', 'x'], /--port/],
      [['--envd-version', 'new'], /--envd-version/], [['--api', 'v3'], /--api is one of v1, v2/],
      [['--tls-cert', 'x'], /go together/]]) {
      const { stderr, status } = run(...args);
      assert.equal(status, 2);
      assert.match(stderr, words);
      assert.equal(stderr.trim().split('\n').length, 1, stderr);
    }
    assert.equal(run('--faults', '/no/such/file').status, 1);
  });

  test('help names every option, and so does the page', () => {
    const { stdout, status } = run('--help');
    assert.equal(status, 0);
    const source = readFileSync(new URL('options.js', import.meta.url), 'utf8');
    const table = /const OPTIONS = \{([^]*?)\n\};/.exec(source)[1];
    const names = [...table.matchAll(/'?([a-z][a-z-0-9]*)'?: (?:TEXT|\{)/g)]
      .map(([, name]) => name);
    assert.ok(names.length >= 18);
    const page = readFileSync(new URL('README.md', import.meta.url), 'utf8');
    for (const name of names.filter((one) => one !== 'help')) {
      assert.ok(stdout.includes(`--${name}`), name);
      assert.ok(page.includes(`--${name}`), `README.md: ${name}`);
    }
  });

  test('ports, key, domain and version as told', async () => {
    const server = await Server.start('--api-key', 'other', '--domain', 'sandboxes.test',
      '--envd-version', '0.5.0');
    const sandbox = await server.create();
    assert.equal(sandbox.domain, 'sandboxes.test');
    assert.equal(sandbox.envdVersion, '0.5.0');
    assert.equal(await server.stop(), 0);
  });

  test('another clock, another PATH', async () => {
    const server = await Server.start('--clock-skew-s=-3600', '--path', '/nowhere');
    const answer = await server.api('POST', '/v2/sandboxes', { templateID: 'base' });
    const off = new Date(answer.headers.get('date')) - Date.now();
    assert.ok(Math.abs(off + 3600000) < 60000, `it is off by ${off} ms`);
    const sandbox = await answer.json();
    const info = await (await server.api('GET', `/sandboxes/${sandbox.sandboxID}`)).json();
    assert.ok(Math.abs(new Date(info.startedAt) - Date.now() + 3600000) < 60000);
    const text = await (await server.envd(sandbox, '/process.Process/Start',
      { body: startBody('echo "PATH=$PATH"; node'),
        headers: { 'Content-Type': 'application/connect+json' } })).text();
    assert.ok(text.includes(Buffer.from('PATH=/nowhere\n').toString('base64')));
    assert.match(text, /"exitCode":127/);
    assert.equal(await server.stop(), 0);
  });

  test('HTTPS', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'e2b-tls-'));
    const [cert, key] = ['cert', 'key'].map((name) => join(folder, name));
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1',
      '-subj', '/CN=localhost', '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const server = await Server.start('--tls-cert', cert, '--tls-key', key);
    const status = await new Promise((resolve, reject) => {
      get(`${server.apiUrl}/v2/sandboxes`, { ca: readFileSync(cert), servername: 'localhost',
        checkServerIdentity: () => undefined, headers: { 'X-API-Key': server.apiKey },
        agent: false }, (answer) => resolve(answer.resume().statusCode)).on('error', reject);
    });
    assert.equal(status, 200);
    assert.equal(await server.stop(), 0);
    rmSync(folder, { recursive: true });
  });

  test('an envd by itself', async () => {
    const server = await Server.start('--standalone', '0');
    const sandbox = await Sandbox.create({ debug: true, sandboxUrl: server.envdUrl });
    assert.equal((await sandbox.commands.run('echo alone')).stdout, 'alone\n');
    assert.equal(await sandbox.isRunning(), true);
    assert.equal(await server.stop(), 0);
  });

  test('past the edge where that is asked for', async () => {
    const server = await Server.start('--direct');
    const sandbox = await server.create({ envVars: { A: '1' } });
    const order = { envVars: { B: '2' }, accessToken: sandbox.envdAccessToken,
      defaultUser: 'root' };
    const answer = await server.envd(sandbox, '/init', { body: JSON.stringify(order) });
    assert.equal(answer.status, 204);
    const envs = await server.envd(sandbox, '/envs', { method: 'GET' });
    assert.deepEqual(await envs.json(), { B: '2' });
    const wrong = await server.envd(sandbox, '/init',
      { body: JSON.stringify({ accessToken: 'wrong' }) });
    assert.equal(wrong.status, 401);
    assert.equal(await server.stop(), 0);
  });
});
