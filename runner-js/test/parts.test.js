import { test } from 'node:test';
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { overflowing } from '../src/ledger.js';
import { newReader } from '../src/wire.js';
import { newPlaces } from '../src/sourcemap.js';
import { CLOSES, clampPlace, compile, placeOfError, Unfit } from '../src/program.js';
import { describeFallen } from '../src/stacks.js';
import { erase, eraseEarly, isAmbiguous } from '../src/erase.js';
import { newLink, state, viewLink } from '../src/link.js';
import { newOutlet } from '../src/outlet.js';
import { newEntries } from '../src/entries.js';

const cost = (text) => Buffer.byteLength(JSON.stringify(text));

test('the overflowing prefix is the shortest of whole code points', () => {
  const texts = [
    'abcdef',
    '"\\\b\t\n\f\r',
    '\u0001\u001f\u007f',
    'é€😀x',
    'a\ud83d',
    '\udc00\ud83d\ude00',
    '😀😀😀',
  ];
  for (const text of texts) {
    for (let room = 0; room <= cost(text); room++) {
      const prefix = overflowing(text, room);
      assert.ok(text.startsWith(prefix));
      if (cost(text) <= room) {
        assert.equal(prefix, text);
        continue;
      }
      assert.ok(cost(prefix) > room || prefix === text, `${text} ${room}`);
      const shorter = [...prefix].slice(0, -1).join('');
      if (prefix.length > 0)
        assert.ok(cost(shorter) <= room || shorter === prefix, `${text} ${room}`);
    }
  }
});

test('a string that becomes JSON while it is written is the same', () => {
  const letters = ['x', 'plain words ', '"', '\\', '\n', '\u0001', '\u007f', 'é', '€', '\u2028'];
  letters.push('😀', '\ud83d', '\ude00', '\uefff', '\uf000', '\uffff');
  const texts = ['', 'x', '"', '\ud83d', '😀'.repeat(20000), 'a' + '😀'.repeat(20000)];
  for (const letter of letters) {
    for (const length of [16383, 16384, 16385, 32769]) {
      texts.push('x'.repeat(length - 1) + letter, letter + 'y'.repeat(length) + letter);
    }
    texts.push(letter.repeat(30000));
  }
  for (let seed = 1; seed <= 40; seed++) {
    let text = '';
    for (let i = 0, at = seed; i < 9000; i++) {
      at = (at * 48271) % 2147483647;
      text += letters[at % letters.length];
    }
    texts.push(text);
  }
  for (const text of texts) {
    const link = newLink();
    const outlet = newOutlet(link, () => {});
    const expected = JSON.stringify(text);
    const bytes = outlet.measure(text);
    assert.equal(bytes, Buffer.byteLength(expected));
    outlet.write('done ok', text, bytes, true);
    const { state: words, ring } = viewLink(link);
    const written = ring.toString('utf8', 0, words[state.HEAD]);
    assert.equal(written, `done ok ${bytes}\n${expected}\n`);
  }
});

test('frames from home are the same for every split of the stream', () => {
  const stream = Buffer.from(
    'boot 11\n{"a":"€"}\n0011223344556677.\nreply 1 ok 0\n\nreply 2 error ' +
      '15\n{"message":"x"}\nping 7\nstop 1000\n',
  );
  const expected = [
    'boot 11|{"a":"€"}',
    'reply 1 ok 0|',
    'reply 2 error 15|{"message":"x"}',
    'ping 7|null',
    'stop 1000|null',
  ];
  const read = (chunks) => {
    const seen = [];
    const reader = newReader(1e6, (words, payload) =>
      seen.push(`${words.join(' ')}|${payload === null ? null : payload.toString()}`),
    );
    for (const chunk of chunks) reader.feed(chunk);
    return seen;
  };
  assert.deepEqual(read([stream]), expected);
  assert.deepEqual(read([...stream].map((byte) => Buffer.from([byte]))), expected);
  for (let i = 0; i <= stream.length; i++) {
    for (let k = i; k <= stream.length; k += 7) {
      assert.deepEqual(
        read([stream.subarray(0, i), stream.subarray(i, k), stream.subarray(k)]),
        expected,
      );
    }
  }
});

test('frames that home never sends are refused', () => {
  for (const text of [
    'what 1\n',
    'reply 1 ok x\n',
    'reply 1 ok -1\n',
    'boot 99999999999\n',
    'boot 1 2\n',
    `${'x'.repeat(300)}`,
  ]) {
    assert.throws(() => newReader(1e6, () => {}).feed(Buffer.from(text)), undefined, text);
  }
});

test('source maps lead back to the nearest known place', () => {
  // a at 0:0 from 0:0, at 0:4 from 0:8; line 1: at 0:2 from 2:1.
  const find = newPlaces({ mappings: 'AAAA,IAAQ;EAEP' });
  assert.deepEqual(find(0, 0), { line: 0, column: 0 });
  assert.deepEqual(find(0, 3), { line: 0, column: 0 });
  assert.deepEqual(find(0, 9), { line: 0, column: 8 });
  assert.deepEqual(find(1, 0), { line: 0, column: 8 });
  assert.deepEqual(find(1, 5), { line: 2, column: 1 });
  assert.deepEqual(find(9, 0), { line: 2, column: 1 });
});

test('places never lie outside the text', () => {
  assert.deepEqual(clampPlace('ab\ncd', 1, 2), { line: 1, column: 2 });
  assert.deepEqual(clampPlace('ab\ncd', 0, 9), { line: 1, column: 1 });
  assert.deepEqual(clampPlace('ab\ncd', 7, 1), { line: 2, column: 2 });
  assert.deepEqual(clampPlace('ab\ncd', 2, 40), { line: 2, column: 3 });
  assert.deepEqual(clampPlace('', 1, 1), { line: 1, column: 1 });
});

test('an error tells its place by carets', () => {
  assert.deepEqual(placeOfError('p:3\n  let x = ;\n          ^\n\nSyntaxError: no', 'p'), {
    line: 3,
    column: 11,
  });
  assert.equal(placeOfError('SyntaxError: no', 'p'), null);
});

test('a body cannot break out of its wrapper', () => {
  for (const text of ['}); (async () => { return 5', '}\nfunction g() {', '} {', '*/ } /*']) {
    assert.throws(() => compile(text, 'p'), Unfit, text);
  }
  for (const text of [
    '',
    '// end',
    '/* a */',
    'return 1',
    '"use strict"; return 1',
    'await 0',
    'return { a: 1 }\n//',
  ])
    compile(text, 'p');
});

test('only texts that could be generic calls are ambiguous', () => {
  for (const text of ['f<number>(4)', 'f<T>`x`', 'new A<B>\n(1)', 'f<T> /* x */ (y)', 'f<T>\ng()'])
    assert.equal(isAmbiguous(text), true, text);
  for (const text of [
    'a < b',
    'x => (y)',
    'for (let i = 0; i < 3; i++) f(() => (1))',
    'a > (b)',
    'const x = 1',
  ]) {
    assert.equal(isAmbiguous(text), false, text);
  }
});

test('types are erased early as they are late, or not at all', () => {
  globalThis.require = createRequire(import.meta.url); // As it is where the runner starts.
  const early = (text) => eraseEarly({ text, name: 'program', lenient: false }, () => null);
  const text = 'import type { A } from "a";\nconst a: A = 1 as A;\nreturn a satisfies A';
  const late = erase({ text, name: 'program', lenient: false }, null);
  assert.deepEqual(early(text), late.needs === undefined ? late : null);
  assert.equal(early('return 1'), null);
  assert.equal(early('const a: number = ;'), null);
  assert.equal(early('enum A { a }'), null);
  const began = performance.now();
  assert.equal(early(`const a: 1 = 1; return ${'a ? (b) : c => '.repeat(60)} 1`), null);
  assert.ok(performance.now() - began < 10000, 'it gives up');
  assert.ok(!Object.keys(globalThis).some((name) => name.startsWith('$errand')));
});

test('the end of a text is wrong in its own words', () => {
  const wrong = (text) => {
    try {
      return compile(text, 'program');
    } catch (error) {
      return [error.message, error.place && error.place.line];
    }
  };
  for (const text of ['return (', '[1,', 'a +', 'class A {', 'x = `a${', 'if (a) {', 'do', '({'])
    assert.deepEqual(wrong(`1;\n${text}`), ['Unexpected end of input', 2], text);
  assert.deepEqual(wrong('f(1'), ['missing ) after argument list', 1]);
  assert.deepEqual(wrong('1;\n}'), [CLOSES, 2]);
  assert.deepEqual(wrong('}); (async () => {'), [CLOSES, null]);
});

test('what a thread fell over is told without frames of others', () => {
  const error = Object.assign(new TypeError('late'), {
    stack:
      'TypeError: late\n    at f (program:3:9)\n    at list (node:internal/timers:1:2)\n' +
      '    at run ([worker eval]:1:2)\n    at lib (/a/b.js:1:1)',
  });
  assert.deepEqual(describeFallen(error, 'program'), {
    kind: 'exception',
    code: 'type_error',
    name: 'TypeError',
    message: 'late',
    stack: 'TypeError: late\n    at f (program:3:9)\n    at lib (/a/b.js:1:1)',
    line: 3,
    column: 9,
  });
  assert.deepEqual(describeFallen('x'.repeat(1e5), 'program').message.length, 10000);
  for (const thrown of [null, undefined, 5, {}])
    assert.equal(typeof describeFallen(thrown, 'program').message, 'string');
});

test('where the stack is nearly full, an entry is written whole or not at all', () => {
  const link = newLink();
  const { state: words, ring } = viewLink(link);
  const entries = newEntries(2 ** 40, newOutlet(link, () => {}), assert.fail);
  const say = () => entries.say('log', 'whole');
  const written = () => {
    const from = Atomics.load(words, state.TAIL);
    Atomics.store(words, state.TAIL, Atomics.load(words, state.HEAD));
    return ring.toString('latin1', from, Atomics.load(words, state.HEAD));
  };
  // Wherever it first fits on the way up; what runs hot has smaller frames.
  const deep = (args, act) => {
    try {
      return deep(args, act);
    } catch {
      return Reflect.apply(act, undefined, args);
    }
  };
  for (const warm of [0, 10, 1000, 20000]) {
    for (let i = 0; i < warm; i++) {
      say();
      written();
    }
    for (let size = 0; size < 64; size++) {
      deep(new Array(size).fill(0), say);
      assert.equal(written(), 'log log 7\n"whole"\n');
      assert.equal(Atomics.load(words, state.OPEN), 0);
    }
  }
});
