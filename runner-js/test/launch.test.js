// The launch line under every login shell, and what it says when it cannot start a runner.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { inflateRawSync } from 'node:zlib';
import { dirname, join } from 'node:path';
import { begin, frame, bootFor, launchFor, nodes, run } from './home.js';

const [anyNode] = nodes;
const versionOf = (node) => execFileSync(node, ['-v']).toString().trim();
// Where the suite must not pass without one of the shells.
const ALL = process.env.ERRAND_TEST_ALL === '1';
const PROGRAM = 'return await tools.echo("here")';
const scratch = () => mkdtempSync(join(tmpdir(), 'errand-test-'));
const found = (name) =>
  spawnSync('/bin/sh', ['-c', `command -v ${name}`])
    .stdout.toString()
    .trim();

function script(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
}

test('every login shell reads the line alike, in both deliveries', async () => {
  const home = scratch();
  const tried = [];
  for (const shell of ['sh', 'bash', 'dash', 'zsh', 'fish', 'csh', 'tcsh', 'busybox']) {
    const path = found(shell);
    if (path === '' && !ALL) continue;
    assert.notEqual(path, '', `${shell} is not there`);
    tried.push(shell);
    for (const delivery of ['stdin', 'file', 'file']) {
      const r = await run(PROGRAM, {
        node: anyNode,
        delivery,
        shell: shell === 'busybox' ? [path, 'sh', '-c'] : [path, '-c'],
        processEnv: { ...process.env, HOME: home },
      });
      assert.equal(r.value, 'here', `${shell} ${delivery}: ${r.stderr}`);
      assert.equal(r.hello.group, r.hello.pid, shell);
    }
  }
  assert.ok(tried.length > 1, 'more than one shell is there');
  rmSync(home, { recursive: true });
});

test(
  'busybox as /bin/sh runs the script',
  { skip: found('busybox') === '' && !ALL && 'busybox is not there' },
  async () => {
    const { line } = launchFor({ node: anyNode });
    assert.ok(line.startsWith('exec /bin/sh -c '));
    const busybox = found('busybox');
    const r = await run(PROGRAM, {
      node: anyNode,
      shell: ['/bin/sh', '-c'],
      rewrite: (text) => text.replace('exec /bin/sh -c', `exec ${busybox} sh -c`),
    });
    assert.equal(r.value, 'here');
  },
);

for (const node of nodes) {
  const on = (name, check) => test(`node ${versionOf(node)}: ${name}`, check);

  on('a process that leads no group becomes the leader of one', async () => {
    const r = await run(PROGRAM, { node, shell: ['/bin/sh', '-c', '/bin/sh -c "$0"; exit $?'] });
    assert.equal(r.value, 'here');
    assert.equal(r.hello.group, r.hello.pid);
  });

  on('startup files may print, read a line or two, and trace', async () => {
    for (const prelude of [
      'echo Welcome; printf "no newline"',
      'read a; read b',
      'set -x; exec 2>&1',
      'echo hello 00112233445566778899aabbccddeeff 5',
    ]) {
      const r = await run(PROGRAM, { node, shell: ['/bin/sh', '-c', `${prelude}; eval "$0"`] });
      assert.equal(r.value, 'here', `${prelude}: ${r.stderr}`);
    }
  });

  on('a startup file that eats the input is told', async () => {
    const eaten = await run(PROGRAM, {
      node,
      shell: ['/bin/sh', '-c', 'head -c 4096 >/dev/null; eval "$0"'],
    });
    assert.deepEqual(eaten.fail, ['stdin_eaten']);
    const closed = await run(PROGRAM, {
      node,
      shell: ['/bin/sh', '-c', 'exec </dev/null; eval "$0"'],
    });
    assert.deepEqual(closed.fail, ['stdin_closed']);
  });

  on('node is found on PATH, then as the highest version of the version managers', async () => {
    const home = scratch();
    const bin = join(home, 'bin');
    for (const name of ['sh', 'env', 'setsid', 'cat']) {
      mkdirSync(bin, { recursive: true });
      symlinkSync(found(name), join(bin, name));
    }
    const processEnv = { PATH: bin, HOME: home };
    const at = async () =>
      (await run('return process.execPath + " " + process.argv0', { processEnv })).value;
    const mark = (path) => script(path, `TAG=${path}; export TAG; exec ${node} "$@"`);
    const tagOf = async () =>
      (
        await run(
          'return require("node:fs").readFileSync("/proc/self/environ", ' +
            '"utf8").split("\\0").find((e) => e.startsWith("TAG="))',
          { processEnv },
        )
      ).value;
    for (const path of [
      '.nvm/versions/node/v9.11.2/bin/node',
      '.nvm/versions/node/v20.1.0/bin/node',
      '.nvm/versions/node/v20.10.0/bin/node',
      '.local/share/fnm/node-versions/v20.2.0/installation/bin/node',
      '.asdf/installs/nodejs/18.0.0/bin/node',
      '.local/share/mise/installs/node/lts-iron/bin/node',
    ])
      mark(join(home, path));
    assert.equal(await tagOf(), `TAG=${home}/.nvm/versions/node/v20.10.0/bin/node`);
    mark(join(home, '.local/share/mise/installs/node/99.0.1/bin/node'));
    assert.equal(await tagOf(), `TAG=${home}/.local/share/mise/installs/node/99.0.1/bin/node`);
    mark(join(bin, 'node'));
    assert.equal(await tagOf(), `TAG=${bin}/node`);
    assert.ok((await at()).length > 0);
    rmSync(home, { recursive: true });
  });

  on('no node, one that is too old, and one that does not start are told apart', async () => {
    const home = scratch();
    const bin = join(home, 'bin');
    mkdirSync(bin);
    for (const name of ['sh', 'env']) symlinkSync(found(name), join(bin, name));
    // This machine's own node stays out of it.
    const rewrite = (line) =>
      line.replaceAll(/ \/(usr|opt|snap)\S*\/bin(?=[ ;])/g, ' /nowhere/bin');
    const none = await run(PROGRAM, { rewrite, processEnv: { PATH: bin, HOME: home } });
    assert.equal(none.fail[0], 'node_not_found');
    assert.match(none.fail.join(' '), new RegExp(`PATH=${bin}, then nvm`));
    const missing = await run(PROGRAM, { node: '/no/such/node' });
    assert.deepEqual(missing.fail, ['node_not_run', '/no/such/node']);
    const old = join(home, 'old');
    script(
      old,
      `p='Object.defineProperty(process,"versions",{value:{node:"16.20.2"}});'
p=$p'Object.defineProperty(process,"version",{value:"v16.20.2"});'
exec ${node} -e "$p$2" "$3" "$4" "$5" "$6"`,
    );
    const tooOld = await run(PROGRAM, { node: old });
    assert.equal(tooOld.fail[0], 'node_too_old');
    assert.equal(tooOld.fail[1], 'v16.20.2');
    rmSync(home, { recursive: true });
  });

  on('a kept runner is used again, and only if its bytes are right', async () => {
    const home = scratch();
    const options = {
      node,
      delivery: 'file',
      processEnv: { PATH: process.env.PATH, HOME: home, TMPDIR: home },
    };
    const wants = (r) => r.all.filter((line) => line.startsWith('want')).length;
    const first = await run(PROGRAM, options);
    assert.deepEqual([first.value, wants(first)], ['here', 1]);
    const folder = join(home, '.cache/errand');
    const [name] = readdirSync(folder);
    assert.equal(name, first.hello.digest);
    assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.equal(wants(await run(PROGRAM, options)), 0);
    writeFileSync(join(folder, name), 'console.log("swapped")');
    const swapped = await run(PROGRAM, options);
    assert.deepEqual([swapped.value, wants(swapped)], ['here', 1]);
    rmSync(join(folder, name));
    symlinkSync('/etc/passwd', join(folder, name));
    assert.equal((await run(PROGRAM, options)).value, 'here');
    rmSync(join(folder, name));
    execFileSync('mkfifo', [join(folder, name)]);
    assert.equal((await run(PROGRAM, options)).value, 'here', 'a pipe keeps nobody waiting');
    assert.equal(wants(await run(PROGRAM, options)), 0);
    truncateSync(join(folder, name), 2 ** 40);
    const huge = await run(PROGRAM, options);
    assert.deepEqual([huge.value, wants(huge)], ['here', 1]);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    assert.equal((await run(PROGRAM, options)).value, 'here');
    assert.deepEqual(readdirSync(folder), [], 'nothing is kept where others may write');
    rmSync(home, { recursive: true });
  });

  on('where nothing can be kept, the runner starts all the same', async () => {
    const r = await run(PROGRAM, {
      node,
      delivery: 'file',
      processEnv: { PATH: process.env.PATH, HOME: '/proc/none', TMPDIR: '/proc/none' },
    });
    assert.equal(r.value, 'here');
  });

  on('a damaged runner is not evaluated', async () => {
    const far = begin(PROGRAM, { node, silent: true });
    const head = Buffer.from(far.launch.head);
    head[head.length - 1] ^= 1;
    far.send(head, frame('boot', JSON.stringify(bootFor(PROGRAM))), far.launch.tail);
    const seen = await far.ended;
    assert.deepEqual(seen.fail, ['bad_digest']);
  });

  on('input that ends inside the runner is told', async () => {
    const far = begin(PROGRAM, { node, silent: true });
    far.child.stdin.end(far.launch.head.subarray(0, far.launch.head.length - 100));
    assert.deepEqual((await far.ended).fail, ['stdin_closed']);
  });

  on('the bytes may come one by one', async () => {
    const far = begin(PROGRAM, { node, silent: true });
    const all = Buffer.concat([far.launch.head.subarray(0, 100), far.launch.head.subarray(100)]);
    for (let at = 0; at < all.length; at += 777) {
      far.send(all.subarray(at, at + 777));
      await new Promise((go) => setTimeout(go, 1));
    }
    const boot = frame('boot', JSON.stringify(bootFor(PROGRAM)));
    for (const byte of boot) far.send(Buffer.from([byte]));
    far.send(far.launch.tail);
    assert.equal((await far.ended).done.payload, '"here"');
  });

  on('another protocol, or a boot that is none, ends with a word', async () => {
    for (const boot of [{ ...bootFor(PROGRAM), protocol: 2 }, { protocol: 1 }, []]) {
      const r = await run(PROGRAM, { node, boot });
      assert.equal(r.fail ? r.fail[0] : r.failure.code, 'runner_broken', r.text);
    }
  });
}

test('the bundle is small and one script', () => {
  const { runner, line } = launchFor({});
  assert.ok(runner.length < 64 * 1024, `${runner.length} bytes`);
  assert.ok(line.length < 8000);
  const text = inflateRawSync(runner).toString();
  assert.equal(typeof (0, eval)(text), 'function');
});
