// What a program shows and stores, frame by frame, and the byte at which it is too much.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { bootFor, nodes, run } from './home.js';

for (const node of nodes) {
  const version = execFileSync(node, ['-v']).toString().trim();
  const on = (name, check) => test(`node ${version}: ${name}`, check);
  // All frames but hello, as [words, payload].
  const told = async (program, options) => {
    const frames = [];
    const onFrame = (words, payload) =>
      words[0] !== 'hello' && frames.push([words.slice(0, 2).join(' '), payload]);
    await run(program, { node, onFrame, ...options });
    return frames.map(([words, payload]) => [words.split(' ')[0], payload]);
  };

  on('items, a store, stats, done', async () => {
    const frames = await told(
      'text("a"); console.log("b"); emit({type: "text", text: "c"}); store("k", 1); return 2',
    );
    assert.deepEqual(
      frames.map(([word]) => word),
      ['item', 'log', 'item', 'store', 'stats', 'done'],
    );
    assert.equal(frames[0][1], '{"type":"text","text":"a"}');
    assert.equal(frames[2][1], '{"type":"content","content":{"type":"text","text":"c"}}');
    assert.equal(frames[3][1], '{"set":{"k":1},"delete":[]}');
    assert.equal(frames[5][1], '2');
  });

  on('a program that fails stores nothing', async () => {
    const frames = await told('store("k", 1); throw 1');
    assert.deepEqual(
      frames.map(([word]) => word),
      ['stats', 'done'],
    );
  });

  on('an item that does not fit does not travel', async () => {
    // 2 + 26 + 1 + 3 + 1 + 26.
    for (const output_bytes of [58, 59]) {
      const frames = await told('text("a"); console.log("b"); text("c")', {
        limits: { output_bytes },
      });
      assert.equal(frames.filter(([word]) => word === 'item').length, output_bytes - 57);
      assert.equal(frames.at(-1)[1].includes('output-limit'), output_bytes === 58);
    }
  });

  on('nothing runs behind exit', async () => {
    const r = await run(
      'console.log("a"); try { exit() } catch { console.log("b") } finally { for (;;); }',
      { node },
    );
    assert.deepEqual([r.done.how, r.text, r.logs], ['ok', '', [['log', 'a']]]);
  });

  on('what home sent is read', async () => {
    const program = 'store("b", load("a")); return [load("a"), load("b"), load("c") ?? null]';
    const boot = { ...bootFor(program), store: '{"a":[1]}' };
    assert.deepEqual((await run(program, { node, boot })).value, [[1], [1], null]);
  });
}
