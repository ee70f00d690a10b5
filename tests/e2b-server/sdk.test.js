// Whether the server is what E2B's own client expects: everything here goes through the official
// package, and so does what it makes of answers that go wrong.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { AuthenticationError, CommandExitError, FileNotFoundError, FileType, FilesystemEventType,
  InvalidArgumentError, NotFoundError, RateLimitError, Sandbox, SandboxError,
  SandboxNotFoundError, TemplateError, TimeoutError } from 'e2b';

import { Server, eventually, isAlive } from './launch.js';

let server;
let options;
let shared; // A sandbox that the tests leave as it was.

before(async () => {
  server = await Server.start('--template', 'base', '--template', 'other');
  options = { apiKey: server.apiKey, apiUrl: server.apiUrl, sandboxUrl: server.sandboxUrl };
  shared = await Sandbox.create({ ...options, metadata: { name: 'shared' } });
});

after(async () => {
  assert.equal(await server.stop(), 0, server.said);
});

beforeEach(() => server.admin('DELETE', 'faults'));

async function withSandbox(more, run) {
  const sandbox = await Sandbox.create({ ...options, ...more });
  try {
    await run(sandbox);
  } finally {
    await sandbox.kill();
  }
}

async function withVersion(envdVersion, run) {
  await server.admin('PATCH', 'settings', { envdVersion });
  try {
    await withSandbox({}, run);
  } finally {
    await server.admin('PATCH', 'settings', { envdVersion: server.envdVersion });
  }
}

// The server learns a moment later that a client has left.
const nobodyListens = (sandbox) => eventually(async () => {
  const all = await server.admin('GET', 'sandboxes');
  return all.find(({ id }) => id === sandbox.sandboxId).openConnections === 0;
}, 'the client is gone');

const failure = (kind, words = /./) => (error) => {
  assert.ok(error instanceof kind, `${error.constructor.name}: ${error.message}`);
  assert.match(error.message, words);
  return true;
};

describe('sandboxes', () => {
  test('one is created, is there, and is gone after kill', async () => {
    const sandbox = await Sandbox.create(options);
    assert.match(sandbox.sandboxId, /^i[a-z0-9]+$/);
    assert.equal(await sandbox.isRunning(), true);
    assert.equal(await sandbox.kill(), true);
    assert.equal(await sandbox.isRunning(), false);
    assert.equal(await sandbox.kill(), false);
  });

  test('info tells what it was asked to be', () =>
    withSandbox({ metadata: { k: 'v' }, timeoutMs: 120000 }, async (sandbox) => {
      const info = await sandbox.getInfo();
      assert.equal(info.sandboxId, sandbox.sandboxId);
      assert.equal(info.templateId, 'base');
      assert.equal(info.state, 'running');
      assert.equal(info.envdVersion, server.envdVersion);
      assert.deepEqual(info.metadata, { k: 'v' });
      const ttl = info.endAt - info.startedAt;
      assert.ok(ttl >= 120000 && ttl < 122000, `it has ${ttl} ms`);
    }));

  test('network rules and lifecycle are told again', () =>
    withSandbox({ allowInternetAccess: false, network: { denyOut: ['0.0.0.0/0'] },
      lifecycle: { onTimeout: 'pause', autoResume: true } }, async (sandbox) => {
      const info = await sandbox.getInfo();
      assert.equal(info.allowInternetAccess, false);
      assert.deepEqual(info.network.denyOut, ['0.0.0.0/0']);
      assert.deepEqual(info.lifecycle, { onTimeout: 'pause', autoResume: true });
      await sandbox.updateNetwork({ allowOut: ['10.0.0.1'] });
      assert.deepEqual((await sandbox.getInfo()).network.allowOut, ['10.0.0.1']);
    }));

  test('the timeout is set anew', () => withSandbox({}, async (sandbox) => {
    await sandbox.setTimeout(3600000);
    const left = (await sandbox.getInfo()).endAt - Date.now();
    assert.ok(left > 3590000 && left <= 3600000, `it has ${left} ms`);
  }));

  test('its time runs out', async () => {
    const sandbox = await Sandbox.create({ ...options, timeoutMs: 1000 });
    await eventually(async () => !await sandbox.isRunning(), 'the sandbox expires');
    await assert.rejects(sandbox.getInfo(), failure(SandboxNotFoundError));
    await assert.rejects(sandbox.commands.run('true'), failure(SandboxNotFoundError));
  });

  test('another client connects by id and extends, never shortens', () =>
    withSandbox({ timeoutMs: 600000 }, async (sandbox) => {
      await sandbox.files.write('mark', 'here');
      const other = await Sandbox.connect(sandbox.sandboxId, { ...options, timeoutMs: 30000 });
      assert.equal(await other.files.read('mark'), 'here');
      assert.ok((await other.getInfo()).endAt - Date.now() > 590000);
      await Sandbox.connect(sandbox.sandboxId, { ...options, timeoutMs: 1200000 });
      assert.ok((await other.getInfo()).endAt - Date.now() > 1190000);
    }));

  test('nobody connects to what is not there', () => assert.rejects(
    Sandbox.connect('inotthere', options), failure(SandboxNotFoundError)));

  test('no timeout, one that is too long, no template', async () => {
    await assert.rejects(Sandbox.create({ ...options, timeoutMs: 0 }),
      failure(SandboxError, /greater than 0/));
    await assert.rejects(Sandbox.create({ ...options, timeoutMs: 25 * 3600000 }),
      failure(SandboxError, /cannot be greater than 24 hours/));
    await assert.rejects(Sandbox.create('nosuch', options), failure(SandboxError, /not found/));
  });

  test('a key that is not good', () => assert.rejects(
    Sandbox.create({ ...options, apiKey: `e2b_${'f'.repeat(40)}` }),
    failure(AuthenticationError, /API key/)));

  test('no more than the team may have', async () => {
    await server.admin('PATCH', 'settings', { maxSandboxes: 1 });
    try {
      await assert.rejects(Sandbox.create(options), failure(RateLimitError, /maximum number/));
    } finally {
      await server.admin('PATCH', 'settings', { maxSandboxes: 1000 });
    }
  });

  test('the list by metadata, odd letters and all', () =>
    withSandbox({ metadata: { 'a b': 'c&d=é %' } }, async (sandbox) => {
      const list = Sandbox.list({ ...options, query: { metadata: { 'a b': 'c&d=é %' } } });
      const found = await list.nextItems();
      assert.deepEqual(found.map(({ sandboxId }) => sandboxId), [sandbox.sandboxId]);
      assert.equal(list.hasNext, false);
    }));

  test('the list by pages, in both orders', async () => {
    const ids = [];
    for (let n = 0; n < 5; n += 1) {
      const sandbox = await Sandbox.create({ ...options, metadata: { page: 'yes' } });
      ids.push(sandbox.sandboxId);
    }
    for (const order of ['asc', 'desc']) {
      const seen = [];
      const list = Sandbox.list({ ...options, limit: 2, order,
        query: { metadata: { page: 'yes' } } });
      while (list.hasNext) {
        const page = await list.nextItems();
        assert.ok(page.length <= 2);
        seen.push(...page.map(({ sandboxId }) => sandboxId));
      }
      assert.deepEqual(seen, order === 'asc' ? ids : [...ids].reverse());
    }
    for (const id of ids) await Sandbox.kill(id, options);
  });

  test('the list by template and by state', () => withSandbox({ template: 'other' },
    async (sandbox) => {
      await sandbox.pause();
      const list = async (query) => (await Sandbox.list({ ...options, query }).nextItems())
        .map(({ sandboxId }) => sandboxId);
      assert.deepEqual(await list({ template: 'other' }), [sandbox.sandboxId]);
      assert.deepEqual(await list({ state: ['paused'] }), [sandbox.sandboxId]);
      assert.ok(!(await list({ state: ['running'] })).includes(sandbox.sandboxId));
    }));

  test('metrics are of this machine', async () => {
    const [metrics] = await shared.getMetrics();
    assert.ok(metrics.cpuCount > 0 && metrics.memTotal > 0 && metrics.diskTotal > 0);
    assert.ok(Math.abs(metrics.timestamp - Date.now()) < 60000);
    const past = await shared.getMetrics({ end: new Date(Date.now() - 3600000) });
    assert.deepEqual(past, []);
  });

  test('pause keeps processes and files, connect brings them back', () =>
    withSandbox({}, async (sandbox) => {
      await sandbox.files.write('kept', 'yes');
      const handle = await sandbox.commands.run(
        'i=0; while sleep 0.05; do i=$((i+1)); echo $i > count; done', { background: true });
      await eventually(() => sandbox.files.exists('count'), 'it counts');
      const ended = assert.rejects(handle.wait(), failure(Error));
      assert.equal(await sandbox.pause(), true);
      assert.equal(await sandbox.pause(), false);
      await ended;
      assert.equal((await sandbox.getInfo()).state, 'paused');
      assert.equal(await sandbox.isRunning(), false);
      const again = await Sandbox.connect(sandbox.sandboxId, options);
      assert.equal(await again.files.read('kept'), 'yes');
      const counted = await again.files.read('count');
      await eventually(async () => Number(await again.files.read('count')) > Number(counted),
        'it counts on');
      assert.deepEqual((await again.commands.list()).map(({ pid }) => pid), [handle.pid]);
    }));

  test('pause without memory leaves the files alone', () => withSandbox({}, async (sandbox) => {
    await sandbox.files.write('kept', 'yes');
    const handle = await sandbox.commands.run('sleep 1000', { background: true });
    const ended = assert.rejects(handle.wait(), failure(Error));
    await sandbox.pause({ keepMemory: false });
    await ended;
    const again = await Sandbox.connect(sandbox.sandboxId, options);
    assert.deepEqual(await again.commands.list(), []);
    assert.equal(await again.files.read('kept'), 'yes');
  }));

  test('one that pauses when its time is over wakes when it is asked', async () => {
    const sandbox = await Sandbox.create({ ...options, timeoutMs: 1000,
      lifecycle: { onTimeout: 'pause', autoResume: true } });
    await eventually(async () => (await sandbox.getInfo()).state === 'paused', 'it pauses');
    assert.equal((await sandbox.commands.run('echo awake')).stdout, 'awake\n');
    assert.equal((await sandbox.getInfo()).state, 'running');
    await sandbox.kill();
  });

  test('kill ends every process of it', async () => {
    const sandbox = await Sandbox.create(options);
    await sandbox.commands.run('setsid sleep 1000 >/dev/null 2>&1 & (sleep 1000 >/dev/null 2>&1 &)',
      { background: true });
    const members = () => server.admin('GET', `processes?sandbox=${sandbox.sandboxId}`);
    await eventually(async () => (await members()).length === 2, 'two sleep');
    const pids = (await members()).map(({ pid }) => pid);
    await sandbox.kill();
    assert.deepEqual(pids.filter(isAlive), []);
  });
});

describe('commands', () => {
  test('output, errors and exit code', async () => {
    const result = await shared.commands.run('echo out; echo err >&2');
    assert.deepEqual({ ...result }, { exitCode: 0, error: undefined, stdout: 'out\n',
      stderr: 'err\n' });
  });

  test('another exit code is thrown with what was said before', () => assert.rejects(
    shared.commands.run('echo before; exit 42'), (error) => {
      assert.ok(error instanceof CommandExitError);
      assert.equal(error.exitCode, 42);
      assert.equal(error.stdout, 'before\n');
      assert.equal(error.error, 'exit status 42');
      return true;
    }));

  test('a command that is not there', () => assert.rejects(
    shared.commands.run('nosuchcommand'), (error) => error.exitCode === 127));

  test('both streams come as they are written', async () => {
    const seen = [];
    await shared.commands.run('echo a; sleep 0.2; echo b >&2; sleep 0.2; echo c',
      { onStdout: (text) => seen.push(['out', text]),
        onStderr: (text) => seen.push(['err', text]) });
    assert.deepEqual(seen, [['out', 'a\n'], ['err', 'b\n'], ['out', 'c\n']]);
  });

  test('variables of the sandbox and of the command', () =>
    withSandbox({ envs: { ONE: 'sandbox', TWO: 'sandbox' } }, async (sandbox) => {
      const { stdout } = await sandbox.commands.run('echo $ONE $TWO $THREE $E2B_SANDBOX_ID',
        { envs: { TWO: 'command', THREE: 'é "quoted"' } });
      assert.equal(stdout, `sandbox command é "quoted" ${sandbox.sandboxId}\n`);
    }));

  test('the directory: home, a relative one, one that is not there', async () => {
    const home = (await shared.commands.run('pwd; echo $HOME')).stdout.split('\n');
    assert.equal(home[0], home[1]);
    await shared.files.makeDir('some/where');
    const inside = await shared.commands.run('pwd', { cwd: 'some/where' });
    assert.equal(inside.stdout, `${home[0]}/some/where\n`);
    await assert.rejects(shared.commands.run('pwd', { cwd: '/no/such/place' }),
      failure(InvalidArgumentError, /cwd '\/no\/such\/place' does not exist/));
  });

  test('the user: root, and one that is not there', async () => {
    const { stdout } = await shared.commands.run('echo $USER $LOGNAME; pwd', { user: 'root' });
    assert.match(stdout, /^root root\n.*\/root\n$/);
    await assert.rejects(shared.commands.run('true', { user: 'nobodyhere' }),
      failure(AuthenticationError, /invalid username: 'nobodyhere'/));
  });

  test('in the background: pid, wait', async () => {
    const handle = await shared.commands.run('sleep 0.2; echo done', { background: true });
    assert.ok(handle.pid > 1 && isAlive(handle.pid));
    assert.equal((await handle.wait()).stdout, 'done\n');
    assert.equal(handle.exitCode, 0);
  });

  test('stdin in order, and its end', async () => {
    const handle = await shared.commands.run('cat; echo end', { background: true, stdin: true });
    for (let n = 0; n < 20; n += 1) await handle.sendStdin(`${n} `);
    await handle.closeStdin();
    const expected = `${Array.from({ length: 20 }, (_, n) => `${n} `).join('')}end\n`;
    assert.equal((await handle.wait()).stdout, expected);
  });

  test('without stdin, there is its end', async () => {
    assert.equal((await shared.commands.run('cat; echo end')).stdout, 'end\n');
    const handle = await shared.commands.run('sleep 5', { background: true });
    await assert.rejects(shared.commands.sendStdin(handle.pid, 'x'),
      failure(SandboxError, /stdin not enabled or closed/));
    await handle.kill();
    await handle.wait().catch(() => {});
  });

  test('input for nobody', () => assert.rejects(shared.commands.sendStdin(4000000, 'x'),
    failure(NotFoundError, /process with pid 4000000 not found/)));

  test('kill, and its end', async () => {
    const handle = await shared.commands.run('sleep 1000', { background: true });
    assert.equal(await handle.kill(), true);
    await assert.rejects(handle.wait(), (error) => {
      assert.ok(error instanceof CommandExitError);
      assert.equal(error.exitCode, -1);
      assert.match(error.error, /signal: killed/);
      return true;
    });
    assert.equal(await shared.commands.kill(handle.pid), false);
  });

  test('kill reaches the leader alone', async () => {
    const handle = await shared.commands.run('sleep 1000 & echo $!; wait', { background: true });
    await eventually(() => handle.stdout !== '', 'the child is told of');
    const child = Number(handle.stdout);
    await handle.kill();
    await assert.rejects(handle.wait(), failure(CommandExitError));
    assert.ok(isAlive(child));
    process.kill(child, 'SIGKILL');
  });

  test('the end waits for whoever holds the output', async () => {
    const began = Date.now();
    const { stdout } = await shared.commands.run('(sleep 0.7; echo late) & echo early');
    assert.equal(stdout, 'early\nlate\n');
    assert.ok(Date.now() - began >= 690);
  });

  test('the list of those that run', async () => {
    const handle = await shared.commands.run('sleep 1000',
      { background: true, envs: { MARK: 'x' }, cwd: '/' });
    const found = (await shared.commands.list()).find(({ pid }) => pid === handle.pid);
    assert.deepEqual(found, { pid: handle.pid, cmd: '/bin/bash', args: ['-l', '-c', 'sleep 1000'],
      envs: { MARK: 'x' }, cwd: '/' });
    await handle.kill();
    await handle.wait().catch(() => {});
    const pids = (await shared.commands.list()).map(({ pid }) => pid);
    assert.ok(!pids.includes(handle.pid));
  });

  test('connecting: output from now on, nothing of before', async () => {
    const handle = await shared.commands.run(
      'echo first; read line; echo second; exit 7', { background: true, stdin: true });
    await eventually(() => handle.stdout === 'first\n', 'it began');
    const other = await shared.commands.connect(handle.pid);
    await handle.sendStdin('go\n');
    for (const [one, stdout] of [[handle, 'first\nsecond\n'], [other, 'second\n']]) {
      await assert.rejects(one.wait(), (error) =>
        error.exitCode === 7 && error.stdout === stdout);
    }
  });

  test('who disconnects does not end it, and what nobody hears is lost', async () => {
    const handle = await shared.commands.run(
      'read a; echo lost; echo > mark; read b; echo heard', { background: true, stdin: true });
    await handle.disconnect();
    await nobodyListens(shared);
    await handle.sendStdin('1\n');
    await eventually(() => shared.files.exists('mark'), 'it went on');
    const other = await shared.commands.connect(handle.pid);
    await handle.sendStdin('2\n');
    assert.equal((await other.wait()).stdout, 'heard\n');
    await shared.files.remove('mark');
  });

  test('the end is kept for who comes late', async () => {
    const handle = await shared.commands.run('exit 9', { background: true });
    await handle.wait().catch(() => {});
    const late = await shared.commands.connect(handle.pid);
    await assert.rejects(late.wait(), (error) => error.exitCode === 9);
  });

  test('connecting to nobody', () => assert.rejects(shared.commands.connect(4000000),
    failure(NotFoundError)));

  test('a limit ends it, and the leader with it', async () => {
    const handle = await shared.commands.run('sleep 1000', { background: true, timeoutMs: 500 });
    await assert.rejects(handle.wait(), failure(TimeoutError, /timeoutMs/));
    await eventually(() => !isAlive(handle.pid), 'the leader dies');
  });

  test('without a limit it may go on', async () => {
    const { exitCode } = await shared.commands.run('sleep 0.1', { timeoutMs: 0 });
    assert.equal(exitCode, 0);
  });

  test('much output, whole', async () => {
    const command = 'head -c 8000000 /dev/zero | tr "\\0" x; head -c 3000000 /dev/zero | ' +
      'tr "\\0" y >&2';
    const { stdout, stderr } = await shared.commands.run(command);
    assert.equal(stdout.length, 8000000);
    assert.equal(stderr.length, 3000000);
    assert.ok(!/[^x]/.test(stdout) && !/[^y]/.test(stderr));
  });

  test('letters of many bytes, cut anywhere', async () => {
    const { stdout } = await shared.commands.run(
      'for i in $(seq 3000); do printf "a≤☕👩‍👩‍👧読"; done');
    assert.equal(stdout, 'a≤☕👩‍👩‍👧読'.repeat(3000));
  });

  test('a slow reader makes the process wait', async () => {
    const handle = await shared.commands.run(
      'head -c 30000000 /dev/zero; echo -n over > over', { background: true,
        onStdout: () => sleep(1) });
    await sleep(300);
    assert.equal(await shared.files.exists('over'), false);
    assert.equal((await handle.wait()).stdout.length, 30000000);
    await eventually(() => shared.files.exists('over'), 'it got on');
    await shared.files.remove('over');
  });

  test('many at once', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, (_, n) =>
      shared.commands.run(`sleep 0.1; echo ${n}`)));
    assert.deepEqual(results.map(({ stdout }) => stdout),
      Array.from({ length: 20 }, (_, n) => `${n}\n`));
  });

  test('on a terminal: size, input, resize, end', async () => {
    let text = '';
    const decoder = new TextDecoder();
    const encoder = new TextEncoder();
    const pty = await shared.pty.create({ cols: 90, rows: 30, onData: (bytes) => {
      text += decoder.decode(bytes, { stream: true });
    } });
    await shared.pty.sendInput(pty.pid, encoder.encode('stty size; test -t 0 && echo isatty\n'));
    await eventually(() => /30 90\r\n/.test(text) && /isatty/.test(text), 'the size is told');
    await shared.pty.resize(pty.pid, { cols: 100, rows: 40 });
    await shared.pty.sendInput(pty.pid, encoder.encode('stty size; exit 5\n'));
    await assert.rejects(pty.wait(), (error) => error.exitCode === 5);
    assert.match(text, /40 100\r\n/);
  });

  test('a terminal is killed', async () => {
    const pty = await shared.pty.create({ cols: 80, rows: 24, onData() {} });
    assert.equal(await shared.pty.kill(pty.pid), true);
    await assert.rejects(pty.wait(), failure(CommandExitError));
  });
});

describe('files', () => {
  const bytesOf = (size) => new Uint8Array(randomBytes(size));
  const hash = (bytes) => createHash('sha256').update(bytes).digest('hex');

  test('text, written and read', async () => {
    const written = await shared.files.write('text.txt', 'hello ☕\n');
    assert.equal(written.name, 'text.txt');
    assert.equal(await shared.files.read('text.txt'), 'hello ☕\n');
    assert.equal((await shared.commands.run('cat text.txt')).stdout, 'hello ☕\n');
  });

  test('bytes as they are, by both ways of writing', async () => {
    const bytes = bytesOf(3000000);
    for (const useOctetStream of [false, true]) {
      await shared.files.write('bytes.bin', bytes.buffer, { useOctetStream });
      const read = await shared.files.read('bytes.bin', { format: 'bytes' });
      assert.equal(hash(read), hash(bytes));
    }
  });

  test('an empty one', async () => {
    await shared.files.write('empty', '');
    assert.equal(await shared.files.read('empty'), '');
    assert.equal((await shared.files.getInfo('empty')).size, 0);
  });

  test('what holds the mark of a part', async () => {
    const text = `\r\n--${'-'.repeat(20)}\r\n\r\n--\r\n`.repeat(5000);
    await shared.files.write('marks', text);
    assert.equal(await shared.files.read('marks'), text);
  });

  test('as streams', async () => {
    const bytes = bytesOf(500000);
    await shared.files.write('stream.bin', new Blob([bytes]).stream());
    const stream = await shared.files.read('stream.bin', { format: 'stream' });
    const parts = [];
    for await (const part of stream) parts.push(part);
    assert.equal(hash(Buffer.concat(parts)), hash(bytes));
  });

  test('compressed on the way', async () => {
    await shared.files.write('zipped', 'z'.repeat(100000), { gzip: true });
    assert.equal((await shared.files.getInfo('zipped')).size, 100000);
    assert.equal(await shared.files.read('zipped', { gzip: true }), 'z'.repeat(100000));
  });

  test('several at once, directories made on the way', async () => {
    const written = await shared.files.write([{ path: 'deep/er/one', data: '1' },
      { path: 'deep/two', data: '2' }]);
    assert.deepEqual(written.map(({ name }) => name), ['one', 'two']);
    assert.equal(await shared.files.read('deep/er/one'), '1');
    assert.equal(await shared.files.read('deep/two'), '2');
  });

  test('one that is not there', () => assert.rejects(shared.files.read('nosuch'),
    failure(FileNotFoundError, /does not exist/)));

  test('a directory is no file', async () => {
    await shared.files.makeDir('folder');
    await assert.rejects(shared.files.read('folder'), failure(InvalidArgumentError, /directory/));
    await assert.rejects(shared.files.write('folder', 'x'),
      failure(InvalidArgumentError, /path is a directory/));
  });

  test('directories: made, made again, listed by depth, moved, removed', async () => {
    assert.equal(await shared.files.makeDir('tree/a/b'), true);
    assert.equal(await shared.files.makeDir('tree/a/b'), false);
    await shared.files.write('tree/a/b/leaf', 'x');
    const names = async (depth) =>
      (await shared.files.list('tree', { depth })).map(({ name }) => name);
    assert.deepEqual(await names(1), ['a']);
    assert.deepEqual(await names(3), ['a', 'b', 'leaf']);
    const moved = await shared.files.rename('tree/a', 'tree/c');
    assert.equal(moved.name, 'c');
    assert.equal(moved.type, FileType.DIR);
    assert.equal(await shared.files.exists('tree/a'), false);
    await shared.files.remove('tree');
    assert.equal(await shared.files.exists('tree'), false);
  });

  test('what is told of a file and of a link', async () => {
    await shared.commands.run('echo hello > told; chmod 640 told; ln -sf told link');
    const info = await shared.files.getInfo('told');
    assert.equal(info.type, FileType.FILE);
    assert.equal(info.size, 6);
    assert.equal(info.mode, 0o640);
    assert.equal(info.permissions, '-rw-r-----');
    assert.ok(Math.abs(info.modifiedTime - Date.now()) < 60000);
    assert.equal((await shared.files.getInfo('link')).symlinkTarget, info.path);
  });

  test('words that go with a file', async () => {
    await shared.files.write('words', 'x', { metadata: { author: 'me' } });
    assert.deepEqual((await shared.files.getInfo('words')).metadata, { author: 'me' });
    await shared.files.rename('words', 'words2');
    assert.deepEqual((await shared.files.getInfo('words2')).metadata, { author: 'me' });
  });

  test('nothing to list, move or tell of', async () => {
    await assert.rejects(shared.files.list('nosuch'), failure(FileNotFoundError));
    await assert.rejects(shared.files.rename('nosuch', 'b'), failure(FileNotFoundError));
    await assert.rejects(shared.files.getInfo('nosuch'), failure(FileNotFoundError));
  });

  test('signed addresses for who has no token', async () => {
    await shared.files.write('signed', 'by me');
    const headers = { 'E2b-Sandbox-Id': shared.sandboxId, 'E2b-Sandbox-Port': '49983' };
    const get = async (path, more) => fetch(await shared.downloadUrl(path, more), { headers });
    assert.equal(await (await get('signed', {})).text(), 'by me');
    assert.equal((await get('signed', { useSignatureExpiration: 60 })).status, 200);
    const url = new URL(await shared.downloadUrl('signed'));
    url.searchParams.set('path', 'text.txt');
    assert.equal((await fetch(url, { headers })).status, 401);
    const form = new FormData();
    form.append('file', new Blob(['sent']), 'signed');
    const sent = await fetch(await shared.uploadUrl('signed'),
      { method: 'POST', body: form, headers });
    assert.equal(sent.status, 200);
    assert.equal(await shared.files.read('signed'), 'sent');
  });
});

describe('watching', () => {
  const watched = async (directory, more, act, expected) => {
    await shared.files.makeDir(directory);
    const seen = [];
    const handle = await shared.files.watchDir(directory, (event) => {
      seen.push(event);
    }, more);
    await act();
    const has = ([type, name]) => seen.some((one) => one.type === type && one.name === name);
    await eventually(() => expected.every(has), JSON.stringify({ expected })).catch((error) => {
      throw new Error(`${error.message}; seen: ${JSON.stringify(seen)}`);
    });
    await handle.stop();
    return seen;
  };
  const { CHMOD, CREATE, REMOVE, RENAME, WRITE } = FilesystemEventType;

  test('what is made, written, changed and removed', () => watched('watch1', {}, async () => {
    await shared.files.write('watch1/a', '1');
    await sleep(50);
    await shared.commands.run('echo more >> watch1/a');
    await sleep(50);
    await shared.commands.run('chmod 600 watch1/a');
    await sleep(50);
    await shared.files.remove('watch1/a');
  }, [[CREATE, 'a'], [WRITE, 'a'], [CHMOD, 'a'], [REMOVE, 'a']]));

  test('a new name', () => watched('watch2', {}, async () => {
    await shared.files.write('watch2/a', '1');
    await sleep(50);
    await shared.files.rename('watch2/a', 'watch2/b');
  }, [[RENAME, 'a'], [CREATE, 'b']]));

  test('below, where that is asked for', () => watched('watch3', { recursive: true }, async () => {
    await shared.files.write('watch3/in/side/a', '1');
  }, [[CREATE, 'in'], [CREATE, 'in/side'], [CREATE, 'in/side/a']]));

  test('with what is told of the file', async () => {
    const seen = await watched('watch4', { includeEntry: true }, async () => {
      await shared.files.write('watch4/a', '12345');
    }, [[CREATE, 'a'], [WRITE, 'a']]);
    assert.equal(seen.find(({ type }) => type === WRITE).entry.size, 5);
  });

  test('what is not there, and what is no directory', async () => {
    await shared.files.write('plain', 'x');
    await assert.rejects(shared.files.watchDir('nosuch', () => {}), failure(FileNotFoundError));
    await assert.rejects(shared.files.watchDir('plain', () => {}),
      failure(InvalidArgumentError, /not a directory/));
  });
});

describe('versions of envd', () => {
  test('before 0.4.0 the client names the user', () => withVersion('0.3.5', async (sandbox) => {
    assert.match((await sandbox.commands.run('echo $USER')).stdout, /^user\n$/);
  }));

  test('before 0.5.2 stdin has no end', () => withVersion('0.5.1', async (sandbox) => {
    const handle = await sandbox.commands.run('cat', { background: true, stdin: true });
    await assert.rejects(handle.closeStdin(), failure(SandboxError, /doesn't support closeStdin/));
    await handle.kill();
    await handle.wait().catch(() => {});
  }));

  test('before 0.5.7 uploads have parts', () => withVersion('0.5.6', async (sandbox) => {
    await sandbox.files.write('a', 'b', { useOctetStream: true });
    assert.equal(await sandbox.files.read('a'), 'b');
  }));

  test('before 0.6.2 files have no words, before 0.6.3 events no entry', () =>
    withVersion('0.6.1', async (sandbox) => {
      await assert.rejects(sandbox.files.write('a', 'b', { metadata: { k: 'v' } }),
        failure(TemplateError));
      await assert.rejects(sandbox.files.watchDir('.', () => {}, { includeEntry: true }),
        failure(TemplateError));
    }));

  test('before 0.6.12 the end is not kept', () => withVersion('0.6.11', async (sandbox) => {
    const handle = await sandbox.commands.run('true', { background: true });
    await handle.wait();
    await assert.rejects(sandbox.commands.connect(handle.pid), failure(NotFoundError));
  }));

  test('before 0.5.19 what nobody reads holds the process', () =>
    withVersion('0.5.18', async (sandbox) => {
      const handle = await sandbox.commands.run(
        'read go; head -c 300000 /dev/zero; echo > over', { background: true, stdin: true });
      await handle.disconnect();
      await nobodyListens(sandbox);
      await sandbox.commands.sendStdin(handle.pid, 'go\n');
      await sleep(300);
      assert.equal(await sandbox.files.exists('over'), false);
      await (await sandbox.commands.connect(handle.pid)).wait();
      assert.equal(await sandbox.files.exists('over'), true);
    }));

  test('an API before version 2 cannot create for this client', async () => {
    await server.admin('PATCH', 'settings', { api: 'v1' });
    try {
      await assert.rejects(Sandbox.create(options), failure(Error));
      const old = await server.api('POST', '/sandboxes', { templateID: 'base', secure: true });
      assert.equal(old.status, 201);
      const { sandboxID } = await old.json();
      assert.equal(await Sandbox.kill(sandboxID, options), true);
    } finally {
      await server.admin('PATCH', 'settings', { api: 'v2' });
    }
  });
});

// The client speaks JSON; what it is built of speaks the binary form just as well.
describe('the binary form', () => {
  const require = createRequire(import.meta.url);
  const main = require.resolve('e2b');
  const load = (name) => import(require.resolve(name, { paths: [main] }));
  let processes;
  let filesystem;

  before(async () => {
    const [buf, wkt, connect, web] = await Promise.all(['@bufbuild/protobuf',
      '@bufbuild/protobuf/wkt', '@connectrpc/connect', '@connectrpc/connect-web'].map(load));
    const file = [...readFileSync(main, 'utf8').matchAll(/fileDesc\)?\(\s*"([A-Za-z0-9+/]+)"/g)]
      .map(([, text]) => buf.fromBinary(wkt.FileDescriptorProtoSchema,
        Buffer.from(text, 'base64')));
    const registry = buf.createFileRegistry(buf.create(wkt.FileDescriptorSetSchema,
      { file: [wkt.file_google_protobuf_timestamp.proto, ...file] }));
    const headers = { 'E2b-Sandbox-Id': shared.sandboxId, 'E2b-Sandbox-Port': '49983',
      'X-Access-Token': (await server.api('GET', `/sandboxes/${shared.sandboxId}`)
        .then((answer) => answer.json())).envdAccessToken };
    const transport = web.createConnectTransport({ baseUrl: server.sandboxUrl,
      useBinaryFormat: true, fetch: (url, { headers: own, ...rest }) =>
        fetch(url, { ...rest, headers: { ...Object.fromEntries(own), ...headers } }) });
    processes = connect.createClient(registry.getService('process.Process'), transport);
    filesystem = connect.createClient(registry.getService('filesystem.Filesystem'), transport);
  });

  test('a command with input, from start to end', async () => {
    const stream = processes.start({ stdin: true, process: { cmd: 'sh',
      args: ['-c', 'read line; echo "$line"; echo $MARK >&2; exit 200'], envs: { MARK: 'é' } } });
    const seen = [];
    for await (const { event: { event } } of stream) {
      seen.push(event.case);
      if (event.case === 'start') {
        const selector = { case: 'pid', value: event.value.pid };
        const { processes: all } = await processes.list({});
        assert.deepEqual(all.find(({ pid }) => pid === event.value.pid).config.envs, { MARK: 'é' });
        await processes.sendInput({ process: { selector }, input: { input: { case: 'stdin',
          value: new TextEncoder().encode('hello\n') } } });
      } else if (event.case === 'data') {
        const { case: name, value } = event.value.output;
        assert.equal(Buffer.from(value).toString(), name === 'stdout' ? 'hello\n' : 'é\n');
      } else {
        assert.equal(event.value.exitCode, 200);
        assert.equal(event.value.error, 'exit status 200');
      }
    }
    assert.deepEqual(seen, ['start', 'data', 'data', 'end']);
  });

  test('what is told of a file, and an error', async () => {
    await shared.files.write('binary', 'x'.repeat(300));
    const { entry } = await filesystem.stat({ path: 'binary' });
    assert.equal(entry.size, 300n);
    assert.ok(Math.abs(Number(entry.modifiedTime.seconds) - Date.now() / 1000) < 60);
    await assert.rejects(filesystem.stat({ path: 'nosuch' }), /not_found/);
  });
});

// What this client was measured to make of each against another server, word for word.
describe('faults', () => {
  const start = { rpc: 'Start' };
  const run = (command = 'echo partial; sleep 0.2') => shared.commands.run(command);

  test('a connection that is cut in the middle', async () => {
    await server.fault({ on: start, do: 'cut', at: 'data' });
    await assert.rejects(run(), failure(SandboxError, /terminated/));
  });

  test('the same, and the sandbox is gone', async () => {
    await server.fault({ on: start, do: 'cut', at: 'data' },
      { on: { path: '/health', plane: 'envd' }, do: 'answer', status: 502, json: { code: 502 } });
    await assert.rejects(run(), failure(TimeoutError, /killed or reached its end of life/));
  });

  test('an end without a trailer', async () => {
    await server.fault({ on: start, do: 'cut', at: 'end' });
    await assert.rejects(run(), failure(SandboxError, /terminated/));
  });

  test('a clean end without a trailer', async () => {
    await server.fault({ on: start, do: 'cut', at: 'data', how: 'end' });
    await assert.rejects(run(), failure(SandboxError, /missing EndStreamResponse/));
  });

  test('a trailer without an end', async () => {
    await server.fault({ on: start, do: 'alter', drop: ['end'] });
    await assert.rejects(run(), failure(SandboxError, /Process exited without a result/));
  });

  test('half an envelope', async () => {
    await server.fault({ on: start, do: 'cut', at: 20, how: 'end' });
    await assert.rejects(run(), failure(Error));
  });

  test('a trailer with an error', async () => {
    await server.fault({ on: start, do: 'alter', drop: ['end'],
      trailer: { error: { code: 'deadline_exceeded', message: 'too long' } } });
    await assert.rejects(run(), failure(TimeoutError));
  });

  test('an end that knows nothing', async () => {
    await server.fault({ on: start, do: 'alter', end: { exitCode: undefined, exited: false,
      error: 'wait4: no child processes', status: 'wait4 error' } });
    const result = await run('echo x');
    assert.equal(result.exitCode, 0);
    assert.equal(result.error, 'wait4: no child processes');
  });

  test('too many connections', async () => {
    await server.fault({ on: start, do: 'answer', status: 429, json: { code: 429, message: 'x' } });
    await assert.rejects(run(), failure(SandboxNotFoundError));
  });

  test('a bad gateway in HTML', async () => {
    await server.fault({ on: start, do: 'answer', status: 502,
      headers: { 'Content-Type': 'text/html' }, text: '<html>Bad Gateway</html>' });
    await assert.rejects(run(), failure(SandboxNotFoundError));
  });

  test('still transitioning', async () => {
    await server.fault({ on: start, do: 'answer', status: 409, json: { code: 409 } });
    await assert.rejects(run(), failure(SandboxError, /HTTP 409/));
  });

  test('no way in', async () => {
    await server.fault({ on: start, do: 'answer', status: 401, json: { code: 401 } });
    await assert.rejects(run(), failure(AuthenticationError, /HTTP 401/));
  });

  test('silence after the start, for as long as one waits', async () => {
    await server.fault({ on: start, do: 'silence', at: 'start' });
    const handle = await shared.commands.run('echo x', { background: true, timeoutMs: 0 });
    const first = await Promise.race([handle.wait(), sleep(1000, 'still silent')]);
    assert.equal(first, 'still silent');
    await handle.disconnect();
  });

  test('single bytes make no difference', async () => {
    await server.fault({ on: start, do: 'segment', bytes: 1 });
    assert.equal((await run('echo whole')).stdout, 'whole\n');
  });

  test('a busy control plane is asked again', async () => {
    const on = { plane: 'api', method: 'GET', path: '/sandboxes/*' };
    await server.admin('DELETE', 'requests');
    await server.fault({ on, do: 'answer', status: 429, headers: { 'Retry-After': '1' },
      json: { code: 429, message: 'Rate limit exceeded' } });
    const began = Date.now();
    assert.equal((await shared.getInfo()).sandboxId, shared.sandboxId);
    assert.ok(Date.now() - began >= 990);
    const asked = (await server.admin('GET', 'requests')).filter(({ plane }) => plane === 'api');
    assert.deepEqual(asked.map(({ status }) => status), [429, 200]);
  });

  test('envd restarts under a command', () => withSandbox({}, async (sandbox) => {
    await server.fault({ on: { rpc: 'Start', sandbox: sandbox.sandboxId }, do: 'restart',
      at: 'start', ms: 300 });
    const handle = await sandbox.commands.run('sleep 1000', { background: true });
    await assert.rejects(handle.wait(), failure(Error));
    await eventually(() => sandbox.isRunning(), 'envd is back');
    assert.deepEqual(await sandbox.commands.list(), []);
    assert.equal(isAlive(handle.pid), false);
  }));

  test('envd is replaced under a command that lives on', () => withSandbox({}, async (sandbox) => {
    const handle = await sandbox.commands.run('read line; exit 3',
      { background: true, stdin: true });
    const lost = assert.rejects(handle.wait(), failure(Error));
    await server.admin('POST', `sandboxes/${sandbox.sandboxId}/upgrade`, { ms: 100 });
    await lost;
    await sleep(150);
    const again = await sandbox.commands.connect(handle.pid);
    await sandbox.commands.sendStdin(handle.pid, 'go\n');
    await assert.rejects(again.wait(), (error) => error.exitCode === 3);
  }));
});
