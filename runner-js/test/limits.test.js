// What the runner meters over there: time, memory, output, calls.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { begin, nodes, run } from './home.js';

const bytes = (text) => Buffer.byteLength(JSON.stringify(text));

for (const node of nodes) {
  const version = execFileSync(node, ['-v']).toString().trim();
  const on = (name, check) => test(`node ${version}: ${name}`, check);
  const ends = async (program, limits, options) => {
    const r = await run(program, { node, limits, ...options });
    assert.ok(r.done, `${r.stderr} ${JSON.stringify(r.exit)}`);
    return r;
  };

  on('a busy program ends over its compute budget, a waiting one does not', async () => {
    const spin = await ends('tools.never(); console.log("before"); for (;;);', { compute_ms: 300 });
    assert.deepEqual(
      [spin.failure.kind, spin.failure.code, spin.failure.message],
      ['timeout', 'compute_timeout', 'compute budget exhausted (300ms busy)'],
    );
    assert.deepEqual(spin.logs, [['log', 'before']]);
    assert.ok(spin.stats.compute_ms >= 300);
    const micro = await ends(
      'const f = () => Promise.resolve().then(f); f(); await new Promise(() => {})',
      { compute_ms: 300 },
    );
    assert.equal(micro.failure.code, 'compute_timeout');
    const wait = await ends('await new Promise((go) => setTimeout(go, 700)); return 1', {
      compute_ms: 400,
    });
    assert.equal(wait.value, 1);
  });

  on('waiting for a slow home is no compute', async () => {
    // More than all that stands between the program and home can take.
    const far = begin('for (let i = 0; i < 12; i++) console.log("x".repeat(1e6)); return 1', {
      node,
      limits: { compute_ms: 1500 },
    });
    far.child.stdout.pause();
    await new Promise((go) => setTimeout(go, 2500));
    far.child.stdout.resume();
    const seen = await far.ended;
    assert.equal(seen.done.payload, '1');
    assert.equal(seen.logs.length, 12);
  });

  on('memory over its limits ends the run, by word or by death', async () => {
    const heap = await run(
      'const a = []; for (;;) a.push(new Array(1000).fill({}).map(() => ({})))',
      { node, limits: { heap_mb: 64, rss_mb: 600 } },
    );
    if (heap.done)
      assert.deepEqual([heap.failure.kind, heap.failure.code], ['worker-exit', 'out_of_memory']);
    else assert.ok(heap.exit.code === 134 || heap.exit.signal !== null);
    const rss = await ends(
      'const a = []; for (;;) { a.push(Buffer.alloc(8 << 20, 1)); await new Promise((go) => ' +
        'setTimeout(go, 5)) }',
      { heap_mb: 64, rss_mb: 256 },
    );
    assert.deepEqual(
      [rss.failure.kind, rss.failure.code, rss.failure.message],
      ['worker-exit', 'out_of_memory', 'out of memory: over the resident limit of 256 MiB'],
    );
    assert.ok(rss.stats.rss_peak_bytes > 256 << 20);
  });

  on('the ledger trips on the byte', async () => {
    const limit = async (program, cap) => {
      const r = await ends(program, { output_bytes: cap });
      return r.done.how === 'ok' ? 'ok' : r.failure.kind;
    };
    assert.equal(await limit('return "€"', 7), 'ok');
    assert.equal(await limit('return "€"', 6), 'output-limit');
    assert.equal(await limit('console.log("abc"); return "xy"', 11), 'ok');
    assert.equal(await limit('console.log("abc"); return "xy"', 10), 'output-limit');
    assert.equal(await limit('console.log("abc"); throw "xy"', 11), 'exception');
    assert.equal(await limit('console.log("abc"); throw "xy"', 10), 'output-limit');
    assert.equal(await limit('console.log("a"); console.log("b"); return ""', 11), 'ok');
    assert.equal(await limit('console.log("a"); console.log("b"); return ""', 10), 'output-limit');
  });

  on('a log over the cap travels cut, so that home trips on the same byte', async () => {
    const r = await ends(
      'console.log("ok"); console.log("😀".repeat(100)); console.log("never"); for (;;);',
      { output_bytes: 64 },
    );
    assert.equal(r.failure.kind, 'output-limit');
    assert.equal(r.failure.message, 'outer output exceeded 64 bytes');
    assert.equal(r.logs.length, 2);
    const room = 64 - 2 - bytes('ok') - 1;
    assert.ok(bytes(r.logs[1][1]) > room);
    assert.ok(bytes([...r.logs[1][1]].slice(0, -1).join('')) <= room);
  });

  on('a giant error never travels', async () => {
    const r = await ends('throw new Error("x".repeat(1e6))', { output_bytes: 64 });
    assert.equal(r.failure.kind, 'output-limit');
    assert.ok(r.text.length < 200);
  });

  on('a flood ends as output-limit', async () => {
    const r = await ends('for (;;) console.log("x".repeat(1e6))', { output_bytes: 4 << 20 });
    assert.equal(r.failure.kind, 'output-limit');
    assert.equal(r.logs.length, 5);
  });

  on('one call over a cap fails, and the run goes on', async () => {
    const program =
      'const codes = []; for (const n of [100, 2000, 100]) try { await ' +
      'tools.echo("x".repeat(n)); codes.push("ok") } catch (e) { codes.push(e.code) } return ' +
      'codes';
    assert.deepEqual((await ends(program, { frame_bytes: 1000, output_bytes: 1000 })).value, [
      'ok',
      'value_too_large',
      'ok',
    ]);
    assert.deepEqual(
      (
        await ends(
          'const all = await Promise.allSettled([1, 2, 3].map((i) => tools.echo(i))); return ' +
            'all.map((a) => a.reason?.code ?? a.value)',
          { calls_open: 2 },
        )
      ).value,
      [1, 2, 'too_many_calls'],
    );
    assert.deepEqual(
      (
        await ends('await tools.echo(1); try { await tools.echo(2) } catch (e) { return e.code }', {
          calls: 1,
        })
      ).value,
      'too_many_calls',
    );
  });
}
