// TypeScript on every node under test: the same programs, the same results.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { begin, frame, launchFor, nodes, run } from './home.js';

const { amaro } = launchFor({}).assets;
const assets = amaro === undefined ? {} : { amaro: amaro.digest };

const SAME = {
  annotations: [
    'const x: number = 1; const f = (a: string, b?: number): string => a + (b ?? 0); return ' +
      'f("a", x)',
    'a1',
  ],
  enum: ['enum A { x = 3, y }\nconst v: number = A.y;\nreturn [v, A[3]] as const', [4, 'x']],
  'const enum': ['const enum A { x = 3, y }\nreturn A.y', 4],
  namespace: [
    'namespace N { export const a = 1; export namespace M { export const b = 2 } }\nreturn N.a ' +
      '+ N.M.b',
    3,
  ],
  'parameter properties': [
    'class C { constructor(private x: number, public readonly y = 2) {} sum(): number { return ' +
      'this.x + this.y } }\nreturn new C(5).sum()',
    7,
  ],
  satisfies: ['const o = { a: 1 } satisfies Record<string, number>; return o.a!', 1],
  generics: [
    'const id = <T,>(x: T) => x; function f<T>(x: T): T; function f(x: any) { return x } ' +
      'return f<number>(id<number>(4))',
    4,
  ],
  'a generic call that is a comparison to JavaScript': [
    'const f = (x) => x; return f<number>(4)',
    4,
  ],
  'import type': [
    'import type { A } from "a";\nimport type {\n  B,\n} from \'b\'\nexport type X = { a: 1 ' +
      '};\nconst s = `\nimport type { A } from "a";`;\nreturn s as any',
    '\nimport type { A } from "a";',
  ],
  'types that are exported, without a semicolon': [
    '\texport type A = number\nexport type B = { a: "x" } |\n  "y"\nexport type { A as C }\n' +
      "import type * as N from 'n'\nexport type * from 'x'\nconst a: A = 1\nreturn a + 1",
    2,
  ],
  'abstract classes and declarations': [
    'abstract class A { abstract f(): number; g() { return this.f() } } class B extends A { ' +
      'f() { return 7 } } declare const zz: number; return new B().g()',
    7,
  ],
  interfaces: [
    'interface P { a: number }\ntype Q = P & { b?: string };\nconst q: Q = { a: 1 };\nreturn ' +
      '<number>q.a',
    1,
  ],
  'type as a name': ['const type = 1; let as = 2; return type + as', 3],
  'types inside template literals and regexes': [
    'const r = /a<b>(c): number/; return `${(1 as number)}: string ${r.source}`',
    '1: string a<b>(c): number',
  ],
};

for (const node of nodes) {
  const version = execFileSync(node, ['-v']).toString().trim();
  const on = (name, check) => test(`node ${version}: ${name}`, check);
  const ended = (program, options) => run(program, { node, language: 'auto', assets, ...options });
  const failed = async (program, options) => {
    const r = await ended(program, options);
    assert.ok(r.failure, r.text);
    return r.failure;
  };

  on('what TypeScript writes runs', async () => {
    for (const [name, [program, value]] of Object.entries(SAME)) {
      for (const language of ['ts', 'auto']) {
        const r = await ended(program, { language });
        assert.deepEqual(r.value, value, `${name}: ${r.text}`);
      }
    }
  });

  on('places are those of the text, also where lines moved', async () => {
    for (const first of [
      'interface X { a: number }',
      'enum X { a }',
      'enum X { a,\n b,\n c }\nnamespace N { export const q = 1 }',
    ]) {
      const lines = first.split('\n').length;
      const told = await failed(
        `${first}\n\nfunction boom(): never { throw new TypeError("b") }\n  boom()`,
      );
      assert.deepEqual([told.line, told.column], [lines + 2, 32], first);
      assert.match(
        told.stack,
        new RegExp(
          `^TypeError: b\\n    at boom \\(program:${lines + 2}:32\\)\\n` +
            `    at program:${lines + 3}:3$`,
        ),
      );
    }
  });

  on('JavaScript is left alone', async () => {
    const r = await ended('const a = 1, b = 2, c = 0; return [a < b, b > (c), (a < b) > (c)]', {
      language: 'js',
    });
    assert.deepEqual(r.value, [true, true, true]);
    assert.ok(!r.all.some((line) => line.startsWith('need')));
    const typed = await failed('const x: number = 1', { language: 'js' });
    assert.deepEqual([typed.code, typed.line], ['syntax_error', 1]);
  });

  on('errors of syntax have a place', async () => {
    const told = await failed('const a = 1;\nconst x: number = ;\nreturn x');
    assert.deepEqual(
      [told.kind, told.code, told.line, told.column],
      ['exception', 'syntax_error', 2, 19],
    );
    assert.match((await failed('const a: number = 1;\nexport { a }')).message, /export statement/);
    assert.match(
      (await failed('const a: number = 1;\nimport fs from "node:fs"')).message,
      /import statement.*await import/,
    );
    assert.equal((await failed('} function g(a: number) {')).code, 'syntax_error');
  });

  on('and it is that of the text, however wide that is shown', async () => {
    const befores = [
      '\t\t',
      'a\tas any;',
      '"日本語";',
      '"😀😀";',
      '"e\u0301\u200b\u0007";',
      '"\u001b";',
      '"\u001b[1m";',
    ];
    for (const before of befores) {
      const told = await failed(`const a: number = 1;\n${before}const x: number = ;`);
      assert.deepEqual([told.line, told.column], [2, before.length + 19], before);
    }
  });

  on('a parser that breaks down is told in a line', async () => {
    const told = await failed(`const a: number = 1;\nreturn ${'['.repeat(30000)}`);
    assert.equal(told.code, 'syntax_error');
    assert.match(told.message, /^the parser of TypeScript broke down over it: [^\n]+$/);
  });

  on('JSX says that it is none', async () => {
    for (const program of [
      'const a = <div>hi</div>; return a',
      'return <Foo bar={1} />',
      'const n: number = 1;\nreturn (\n  <ul>\n    <li>{n}</li>\n  </ul>\n)',
    ]) {
      const told = await failed(program);
      assert.equal(told.code, 'unsupported_syntax', told.message);
      assert.match(told.message, /^JSX is not supported \(line [0-9]+\)$/);
    }
  });

  on('what the engine lacks is named with its line', async () => {
    const decorated = await ended(
      'const a: number = 1;\nfunction d(v: any, c: any) { return v }\n@d class A {}\nreturn a',
    );
    if (decorated.failure)
      assert.match(
        decorated.failure.message,
        /^decorators are not supported by node v.* \(line 3\)$/,
      );
    else assert.equal(decorated.value, 1);
    const using = await ended(
      'const a: number = 1;\n{ using x = { [Symbol.dispose]() { console.log("disposed") } }; ' +
        '}\nreturn a',
    );
    if (using.failure)
      assert.match(
        using.failure.message,
        /^using declarations are not supported by node v.* \(line 2\)$/,
      );
    else assert.deepEqual([using.value, using.logs], [1, [['log', 'disposed']]]);
  });

  on('without the compiler, what it is needed for is named', async () => {
    const r = await failed('const a = 1;\nenum A { x }\nreturn A.x', { assets: {} });
    assert.equal(r.code, 'unsupported_syntax');
    assert.match(r.message, /^enum \(line 2\) .*amaro$/);
    assert.equal(r.line, 2);
  });

  on('a kept compiler is used again, and only a file of the right bytes', async () => {
    const home = mkdtempSync(join(tmpdir(), 'errand-test-'));
    const kept = join(home, '.cache/errand', amaro.digest);
    const needs = async () => {
      const r = await ended('enum A { x = 3 }\nreturn A.x', {
        processEnv: { PATH: process.env.PATH, HOME: home, TMPDIR: home },
        timeout: 10000,
      });
      assert.equal(r.value, 3, r.text);
      return r.all.filter((line) => line === 'need amaro').length;
    };
    assert.deepEqual([await needs(), await needs()], [1, 0]);
    assert.equal(readFileSync(kept).indexOf('\0asm'), readFileSync(kept).indexOf(0));
    writeFileSync(kept, 'swapped');
    assert.deepEqual([await needs(), await needs()], [1, 0]);
    rmSync(kept);
    execFileSync('mkfifo', [kept]);
    assert.deepEqual([await needs(), await needs()], [1, 0], 'a pipe keeps nobody waiting');
    truncateSync(kept, 2 ** 31 - 4096);
    assert.deepEqual([await needs(), await needs()], [1, 0]);
    rmSync(home, { recursive: true });
  });

  on('a text that keeps a compiler busy for ever keeps nobody else', async () => {
    const endless = `const a: number = 1;\nreturn ${'a ? (b) : c => '.repeat(60)} 1`;
    const far = begin(endless, { node, language: 'ts', assets });
    await new Promise((go) => setTimeout(go, 1500));
    assert.equal(far.seen.done, null);
    far.send(frame('ping 1'));
    await new Promise((go) => setTimeout(go, 200));
    far.child.stdin.end();
    const since = Date.now();
    const seen = await far.ended;
    assert.ok(seen.all.includes('beat 1'), 'the main thread hears');
    assert.ok(Date.now() - since < 1500, 'and sees home go');
  });

  on('home may say that it has no compiler, or send a damaged one', async () => {
    const none = await failed('enum A { x }', {
      assets: { amaro: '0'.repeat(64) },
      asset: () => 'null',
    });
    assert.equal(none.code, 'unsupported_syntax');
    const damaged = await failed('enum A { x }', { assets: { amaro: '1'.repeat(64) } });
    assert.deepEqual([damaged.kind, damaged.code], ['worker-exit', 'runner_broken']);
  });
}
