// Programs that turn on the realm, the descriptors or the process that they share with the runner.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { begin, nodes, run } from './home.js';

const patched = `
  const rot = () => { throw new SavedError('patched') };
  const SavedError = Error, { defineProperty } = Object, { ownKeys } = Reflect;
  const put = (object, key, descriptor) => {
    try { defineProperty(object, key, { configurable: true, ...descriptor }) } catch {}
  };
  const spoil = (object, kept) => {
    const keys = ownKeys(object);
    for (let k = 0; k < keys.length; k++) {
      if (keys[k] !== kept && keys[k] !== '__proto__') {
        put(object, keys[k], { value: rot, writable: true });
      }
    }
  };
  const classes = [
    Array, Object, String, Map, Set, WeakSet, WeakMap, Promise, RegExp, Function, Number, Error,
    Buffer, Uint8Array, Object.getPrototypeOf(Uint8Array),
  ];
  const objects = [
    JSON, Atomics, Math, Reflect, Object, Array, Buffer, Promise, Number, performance,
  ];
  const names = [
    'Buffer', 'Promise', 'Map', 'Set', 'JSON', 'String', 'Error', 'TypeError', 'Array', 'Object',
    'Symbol', 'Reflect', 'performance', 'process', 'Atomics', 'queueMicrotask',
  ];
  for (let i = 0; i < classes.length; i++) spoil(classes[i].prototype, 'constructor');
  for (let i = 0; i < objects.length; i++) spoil(objects[i], 'prototype');
  for (let i = 0; i < 4; i++) put(classes[0].prototype, i, { set: rot, get: rot });
  process.hrtime = process.memoryUsage = process.nextTick = rot;
  for (let i = 0; i < names.length; i++) {
    put(globalThis, names[i], { value: undefined, writable: true });
  }
`;

const alive = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1][0] !== 'Z';
  } catch {
    return false;
  }
};
const pause = (ms) => new Promise((go) => setTimeout(go, ms));

async function gone(pid) {
  for (let i = 0; i < 100 && alive(pid); i++) await pause(20);
  return !alive(pid);
}

// Processes of that command line, by /proc.
const namesakes = (line) =>
  readdirSync('/proc').filter((name) => {
    try {
      return (
        /^[0-9]+$/.test(name) &&
        readFileSync(`/proc/${name}/cmdline`, 'latin1').split('\0').join(' ').trim() === line
      );
    } catch {
      return false;
    }
  });

const lefts = (run) => run.all.filter((line) => line.startsWith('left '));

let sleepers = 0;
// A command that nobody else runs, and that ends by itself when a test fails.
const sleeper = () => `sleep 20.${process.pid}${++sleepers}`;

async function noneLeft(line) {
  for (let i = 0; i < 100 && namesakes(line).length > 0; i++) await pause(20);
  return namesakes(line).length;
}

for (const node of nodes) {
  const version = execFileSync(node, ['-v']).toString().trim();
  const on = (name, check) => test(`node ${version}: ${name}`, check);

  on('patched intrinsics break neither calls nor errors nor the end', async () => {
    const r = await run(
      `${patched}
      const first = await tools.echo({ a: [1, 'é'] });
      let error; try { await tools.fail({ message: 'm', code: 'c' }) } catch (e) { error = e }
      const { name, message, code, tool } = error;
      const typed = error.constructor === ToolError;
      return { first, name, message, code, tool, typed, undef: await tools.echo() === undefined }`,
      { node },
    );
    assert.deepEqual(
      r.value,
      {
        first: { a: [1, 'é'] },
        name: 'ToolError',
        message: 'm',
        code: 'c',
        tool: 'fail',
        typed: true,
        undef: true,
      },
      r.text,
    );
    const thrown = await run(`${patched}\nnull.x`, { node });
    assert.equal(thrown.failure.kind, 'exception', thrown.text);
    assert.equal(thrown.failure.code, 'type_error');
    const log = await run(`${patched}\nconsole.log('still', 1); return 1`, { node });
    assert.ok(log.done, 'it ended');
  });

  on('hostile settings of stacks break nothing', async () => {
    for (const setting of [
      'Error.prepareStackTrace = () => 5',
      'Error.prepareStackTrace = () => { throw 1 }',
      'Error.stackTraceLimit = 0',
      'Error.stackTraceLimit = "x"',
      'delete Error.stackTraceLimit',
      'Object.defineProperty(Error, "prepareStackTrace", { get() { throw 1 } })',
      'Object.freeze(Error)',
      'Object.preventExtensions(Error)',
      'Error.stackTraceLimit = Infinity; function deep(n) { if (n) deep(n - 1); else throw new ' +
        'TypeError("x") } deep(500)',
    ]) {
      const r = await run(`${setting};\nthrow new TypeError('x')`, { node });
      assert.deepEqual(
        [r.failure.kind, r.failure.code, r.failure.name, r.failure.message],
        ['exception', 'type_error', 'TypeError', 'x'],
        setting,
      );
    }
  });

  on('what is done to the descriptors ends the run, in time', async () => {
    for (const program of [
      'require("fs").closeSync(3); await new Promise((go) => setTimeout(go, 5000))',
      'require("fs").closeSync(4); await new Promise((go) => setTimeout(go, 5000))',
      'require("fs").closeSync(3); require("fs").closeSync(4); for (;;);',
    ]) {
      const began = Date.now();
      const r = await run(program, { node, timeout: 8000 }).catch((error) => ({ error }));
      assert.ok(Date.now() - began < 6000, program);
      assert.ok(!r.done || r.done.how === 'error', program);
    }
  });

  on('a forged frame is the far side speaking, and no crash', async () => {
    const far = begin(
      'require("fs").writeSync(4, "done ok 1\\n7\\n"); await new Promise((go) => ' +
        'setTimeout(go, 50)); return 1',
      { node },
    );
    const seen = await far.ended;
    assert.equal(seen.done.payload, '7');
  });

  on('signals to itself end the process', async () => {
    for (const program of [
      'process.kill(0, "SIGKILL")',
      'process.kill(process.pid, "SIGTERM"); for (;;);',
      'process.kill(process.pid, "SIGKILL")',
    ]) {
      const r = await run(program, { node, timeout: 8000 });
      assert.equal(r.done, null, program);
    }
    const r = await run('process.abort()', { node });
    assert.equal(r.failure.kind, 'exception');
  });

  on('the end leaves no process, whatever the program started', async () => {
    const program = `const { spawn } = require('node:child_process');
      const pids = [
        spawn('sleep', ['300']).pid,
        spawn('sh', ['-c', 'sleep 301 & wait']).pid,
        spawn('sleep', ['302'], { detached: true, stdio: 'ignore' }).pid,
      ];
      await new Promise((go) => setTimeout(go, 100)); return pids`;
    const r = await run(program, { node });
    assert.equal(r.value.length, 3);
    for (const pid of r.value) assert.ok(await gone(pid), `${pid} lives`);
    assert.deepEqual(lefts(r), [`left 1 ${r.value[2]} sleep`], 'who left the group is named');
  });

  on('who left the group is named, however the run ends', async () => {
    const start = `const { spawn } = require('node:child_process');
      const stray = () => spawn('sleep', ['300'], { detached: true, stdio: 'ignore' }).pid;`;
    const wait = 'console.log(stray()); await new Promise((go) => setTimeout(go, 60000))';
    const onLog = (act) => ({
      node,
      onFrame: (words, payload, far) => words[0] === 'log' && act(far, payload),
    });
    const named = async (program, options) => {
      const r = await run(`${start}\n${program}`, options);
      const pid = r.logs[0][1];
      assert.deepEqual(lefts(r), [`left 1 ${pid} sleep`], program);
      assert.ok(await gone(Number(pid)), `${pid} lives`);
      return r;
    };
    await named('console.log(stray()); throw new Error("x")', { node });
    await named('console.log(stray()); for (;;);', { node, limits: { compute_ms: 300 } });
    await named('console.log(stray()); process.exit(3)', { node });
    await named(wait, onLog(({ send }) => send(Buffer.from('stop 0\n'))));
    await named(wait, onLog(({ send }) => send(Buffer.from('stop 100\n'))));
    const told = await named(wait, onLog(({ child }) => child.kill('SIGTERM')));
    assert.equal(told.exit.signal, 'SIGTERM');
    const many = await run(`${start}\nfor (let i = 0; i < 20; i++) stray(); return 1`, { node });
    assert.equal(lefts(many).length, 8);
    assert.ok(lefts(many).every((line) => /^left 20 [0-9]+ sleep$/.test(line)), many.all);
    const odd = await run(
      `const { execSync, spawn } = require('node:child_process');
      const said = (line) => execSync(line).toString().trim();
      const folder = said('mktemp -d');
      const odd = folder + '/a b\\n)é';
      require('node:fs').copyFileSync(said('command -v sleep'), odd);
      const child = spawn(odd, ['300'], { detached: true, stdio: 'ignore' });
      await new Promise((go) => child.on('spawn', go));
      execSync('rm -r ' + folder);
      return 1`,
      { node },
    );
    assert.match(lefts(odd)[0], /^left 1 [0-9]+ a\?b\?\)\?\?$/);
  });

  on('the end of standard input kills all, also in the middle of work', async () => {
    for (const program of [
      'console.log(process.pid); for (;;);',
      'console.log(process.pid); require("node:child_process").execSync("sleep 300")',
      'console.log(process.pid); await tools.never()',
    ]) {
      const far = begin(program, {
        node,
        onFrame: (words, payload, { child }) => words[0] === 'log' && child.stdin.end(),
      });
      const began = Date.now();
      const seen = await far.ended;
      assert.ok(Date.now() - began < 5000, program);
      assert.equal(seen.exit.signal, 'SIGKILL', program);
      assert.equal(seen.done, null);
      assert.ok(await gone(seen.hello.pid));
    }
  });

  on('what is started while all is being killed is killed too', async () => {
    const line = sleeper();
    const far = begin(
      `const { spawn, execSync } = require('node:child_process');
      console.log('go');
      const end = Date.now() + 1500;
      while (Date.now() < end) {
        spawn('sleep', ['${line.slice(6)}'], { detached: true, stdio: 'ignore' });
      }
      execSync('setsid ${line}')`,
      {
        node,
        onFrame: (words, payload, { child }) => words[0] === 'log' && child.stdin.end(),
      },
    );
    const seen = await far.ended;
    assert.equal(seen.exit.signal, 'SIGKILL');
    assert.equal(await noneLeft(line), 0);
  });

  on('a program that takes all descriptors gets on, and leaves no process', async () => {
    const line = sleeper();
    const shell = ['/bin/sh', '-c', 'ulimit -n 64; exec /bin/sh -c "$0"'];
    const program = `const { spawn } = require('node:child_process');
      const { openSync } = require('node:fs');
      spawn('sleep', ['${line.slice(6)}'], { detached: true, stdio: 'ignore' });
      let code;
      try { for (;;) openSync('/dev/null') } catch (error) { code = error.code }
      await new Promise((go) => setTimeout(go, 200));
      console.log('full');
      return [code, await tools.echo(1)]`;
    const r = await run(program, { node, shell });
    assert.deepEqual(r.value, ['EMFILE', 1], r.stderr);
    assert.equal(await noneLeft(line), 0);
    const far = begin(`${program.slice(0, -1)}, await tools.never()]`, {
      node,
      shell,
      onFrame: (words, payload, { child }) => words[0] === 'log' && child.stdin.end(),
    });
    const seen = await far.ended;
    assert.equal(seen.exit.signal, 'SIGKILL', seen.stderr);
    assert.equal(await noneLeft(line), 0);
  });

  on('all descriptors taken do not hide memory', async () => {
    const r = await run(
      `const { openSync } = require('node:fs');
      try { for (;;) openSync('/dev/null') } catch {}
      const kept = [];
      for (let i = 0; i < 60; i++) {
        kept.push(Buffer.alloc(1e7, 1));
        await new Promise((go) => setTimeout(go, 20));
      }
      return kept.length`,
      {
        node,
        shell: ['/bin/sh', '-c', 'ulimit -n 64; exec /bin/sh -c "$0"'],
        limits: { rss_mb: 300 },
      },
    );
    assert.equal(r.failure && r.failure.code, 'out_of_memory', r.text);
  });

  on('what stands on prototypes is no part of an answer, nor of a stop', async () => {
    for (const object of ['Array', 'Object']) {
      const r = await run(
        `for (const name of ['stop', 'asset', 'early', 'need', 'length', 'ok', 'text']) {
          try { ${object}.prototype[name] = 'x' } catch {}
        }
        return await tools.echo([1])`,
        { node, timeout: 8000 },
      );
      assert.deepEqual(r.value, [1], `${object}: ${r.text}`);
    }
  });

  on('silence of home beyond the lease kills all, and pings keep it', async () => {
    const silent = await run('for (;;);', { node, limits: { lease_ms: 300 }, timeout: 8000 });
    assert.deepEqual([silent.done, silent.exit.signal], [null, 'SIGKILL']);
    const far = begin('await new Promise((go) => setTimeout(go, 1500)); return 1', {
      node,
      limits: { lease_ms: 1000 },
    });
    let n = 0;
    const timer = setInterval(() => far.send(Buffer.from(`ping ${++n}\n`)), 100);
    const seen = await far.ended;
    clearInterval(timer);
    assert.equal(seen.done && seen.done.payload, '1');
    assert.ok(seen.all.includes('beat 1') && seen.all.includes('beat 2'));
  });

  on('beats come while the program spins, and between the pieces of a large frame', async () => {
    const far = begin(
      'console.log("go"); const end = Date.now() + 400; while (Date.now() < end); return ' +
        '"x".repeat(8e6)',
      {
        node,
        onFrame: (words, payload, { send }) => words[0] === 'log' && send(Buffer.from('ping 5\n')),
      },
    );
    const timer = setInterval(() => far.send(Buffer.from('ping 6\n')), 20);
    const seen = await far.ended;
    clearInterval(timer);
    assert.equal(seen.error, null);
    assert.equal(seen.done.payload.length, 8e6 + 2);
    assert.ok(seen.all.indexOf('beat 5') < seen.all.length - 2);
  });

  on('stop fires the signal, waits for its grace and leaves', async () => {
    const stopAtLog = (grace) => ({
      node,
      onFrame: (words, payload, { send }) =>
        words[0] === 'log' && payload === '"go"' && send(Buffer.from(`stop ${grace}\n`)),
    });
    const kind = await run(
      'signal.addEventListener("abort", () => console.log("bye")); console.log("go"); await ' +
        'new Promise((go) => { const t = setInterval(() => signal.aborted && (clearInterval(t), ' +
        'go()), 5) })',
      stopAtLog(5000),
    );
    assert.deepEqual(
      kind.logs.map(([, text]) => text),
      ['go', 'bye'],
    );
    assert.deepEqual([kind.failure.kind, kind.failure.code], ['abort', 'cancelled']);
    for (const [program, grace] of [
      ['console.log("go"); for (;;);', 300],
      ['console.log("go"); await tools.never()', 300],
      ['console.log("go"); require("node:child_process").execSync("sleep 300")', 0],
    ]) {
      const began = Date.now();
      const r = await run(program, stopAtLog(grace));
      assert.equal(r.exit.signal, 'SIGKILL');
      assert.ok(Date.now() - began < 5000);
    }
  });
}
