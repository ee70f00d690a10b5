// What is meant by texts that are no plain programs: the parts alone, and what a run asks home for.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { importAt, namesIn } from '../src/imports.js';
import { isIdle, oddityAt } from '../src/oddities.js';
import { readScript, sourcesOf } from '../src/recover.js';
import { mayAskParser } from '../src/shape.js';
import { bootFor, launchFor, nodes, run } from './home.js';

const FENCE = '```';

const textsOf = (program, accept = 'lenient') =>
  sourcesOf({ program, name: 'program', accept }).sources.map(({ text }) => text);

test('an import becomes what does the same', () => {
  for (const [text, code] of [
    ["import a from 'x'; rest", "const { default: a } = await import('x');"],
    ["import{a}from'x'", "const { a } = await import('x');"],
    ["import d, * as n from 'x';", "const n = await import('x'), { default: d } = n;"],
    ['import "x"', 'await import("x");'],
    ["import { 'a-b' as c, // why\n d } from 'x'", "const { 'a-b': c, d } = await import('x');"],
    ["import { type A, type, type as b } from 'x'", "const { type, type: b } = await import('x');"],
  ])
    assert.equal(importAt(text).code, code, text);
  for (const text of [
    "import afrom 'x'",
    "import x, from 'x'",
    'import { a b } from "x"',
    "import type { A } from 'x'",
    "import type A from 'x'",
    "import x = require('y')",
    'import("x")',
    'import.meta.url',
    "import { a: evil() } from 'x'",
    "import a from 'x' with { type: evil() }",
  ])
    assert.notEqual(importAt(text)?.length, text.length, text);
});

test('an import knows where its names stand', () => {
  const text = "import d, { a, /* , */ type T, 'b-c' as e, // ,\n f as g } from 'x'";
  const { specifier, at, wants } = importAt(text, 100);
  assert.deepEqual([specifier, at], ['x', 100 + text.indexOf("'x'")]);
  assert.deepEqual(
    wants.map(({ name, local }) => [name, local]),
    [
      ['default', 'd'],
      ['a', 'a'],
      ['b-c', 'e'],
      ['f', 'g'],
    ],
  );
  for (const [i, word] of ['d,', 'a,', "'b-c'", 'f as'].entries())
    assert.equal(wants[i].at, 100 + text.indexOf(word), word);
  assert.deepEqual(importAt("import * as n from 'x'").wants, []);
  assert.deepEqual(importAt("import { 'a\\u0062' as c } from 'x'").wants, []);
  const names = namesIn("a.b; 'c'; /* d */ `${e}`; ...f // g\nh(\"\\\"i\")");
  assert.deepEqual([...names].filter(Boolean).join(' '), 'a $ e f h');
});

test('a character that is none of the language is named, and one without width is nothing', () => {
  const said = (text, column) => oddityAt(text, { line: 1, column });
  assert.deepEqual(said('f(“a”)', 3), {
    place: { line: 1, column: 3 },
    message: 'U+201C LEFT DOUBLE QUOTATION MARK at 1:3 is no JavaScript: write " instead',
  });
  assert.match(said('f("，", a，b)', 8).message, /^U\+FF0C FULLWIDTH COMMA at 1:9 .* write , /);
  assert.match(said('a \u202e b', 3).message, /^U\+202E RIGHT-TO-LEFT OVERRIDE .*: take it away$/);
  assert.equal(said('const = 1', 7), null);
  assert.equal(said('f(é)', 3), null);
  for (let code = 0xff01; code <= 0xff5e; code++) {
    const char = String.fromCharCode(code);
    const plain = String.fromCharCode(code - 0xff01 + 33);
    const odd = said(char, 1);
    if (/[A-Za-z]/.test(plain)) assert.equal(odd, null);
    else assert.ok(odd.message.endsWith(`write ${plain} instead`), odd.message);
  }
  assert.ok(isIdle('\u200ba', 0) && isIdle('a \u200bb', 2) && isIdle('f\u200b(', 1));
  assert.ok(!isIdle('a\u200bb', 1) && !isIdle('=\u200b=', 1) && !isIdle('a b', 1));
});

test('what a fence holds keeps its place', () => {
  const text = `Look:\n${FENCE}js\n  a;\n${FENCE}\nand\n~~~\nb;\n~~~\n`;
  const [first, second, ...more] = textsOf(text);
  assert.deepEqual(more, []);
  assert.equal(first.split('\n')[2], '  a;');
  assert.equal(second.split('\n')[6], 'b;');
  for (const each of [first, second]) {
    assert.equal(each.length, text.length);
    assert.equal(each.split('\n').length, text.split('\n').length);
  }
  assert.deepEqual(textsOf(text, 'exact'), [text]);
  assert.deepEqual(textsOf('return `a`;'), ['return `a`;']);
  assert.deepEqual(textsOf(`${FENCE}js\nreturn 1;`), []);
  assert.equal(textsOf(`const a = \`\n~~~\n\`;`).length, 1);
});

test('a text of many imports is read, and one of too many refused', () => {
  const read = (count) =>
    readScript({
      text: "import { join } from 'node:path';\n".repeat(count),
      name: 'program',
      lenient: true,
    });
  assert.equal(read(50).finds.imports.length, 50);
  assert.throws(() => read(300), /Cannot use an import statement/);
});

test('no text takes for ever to be looked at', () => {
  const comments = '/**/'.repeat(100);
  const more = '/**/\n'.repeat(100000);
  const read = (text) => readScript({ text, name: 'program', lenient: true });
  assert.equal(mayAskParser({ text: `${comments}1;`, lenient: true }), false);
  assert.equal(mayAskParser({ text: `${comments}() => 1`, lenient: true }), true);
  assert.throws(() => read(`${comments}1 1`), /Unexpected number/);
  assert.throws(() => read(`export ${more}default ${more}function ${more}(`));
  assert.equal(read(`${more}function () {};${more};`).wrap.open, 'return (');
  const blanks = ' '.repeat(1e6);
  assert.equal(importAt(`import${blanks}?`), null);
  assert.equal(importAt(`import a${blanks}?`), null);
  assert.equal(importAt(`import${blanks}a${blanks}from${blanks}"b"`).length, 3e6 + 14);
  assert.equal(importAt(`import { ${'/* '.repeat(1e6)}} from 'x'`), null);
  assert.equal(importAt(`import { ${'a, '.repeat(1e5)}} from 'x'`).wants.length, 1e5);
  for (const word of ['/* ', "'", "\\'", "'\\'", '"\'', 'from ']) namesIn(word.repeat(1e6));
  const odd = { line: 1, column: 1 };
  assert.equal(oddityAt(`${'a'.repeat(8e6)}\u201c`, odd), null);
});

test('of too many fences some are tried', () => {
  const fence = `${FENCE}js\nx(\n${FENCE}\n`;
  assert.equal(textsOf(fence.repeat(1000)).length, 1000);
  const text = fence.repeat(100000);
  const texts = textsOf(text);
  assert.ok(texts.length > 1 && texts.length * text.length <= 1 << 24);
});

const assets = Object.fromEntries(
  Object.entries(launchFor({}).assets).map(([name, { digest }]) => [name, digest]),
);

for (const node of nodes) {
  const boot = (program, more) => ({
    ...bootFor(program, { language: 'auto', assets, ...more }),
    accept: 'lenient',
    ...more,
  });
  // Nothing is kept from one run to the next.
  const asked = async (program, more = {}) => {
    const processEnv = { ...process.env, XDG_CACHE_HOME: '/dev/null', TMPDIR: '/dev/null' };
    const ended = await run(program, { node, processEnv, boot: boot(program, more), ...more });
    const needs = ended.all.filter((line) => line.startsWith('need ')).join();
    return { ...ended, needs };
  };

  test(`${node}: only what may be a lone function asks for a parser`, async () => {
    for (const program of [
      'return 1',
      'const f = () => 1; return f()',
      '"use strict"; return 1',
      'function one() { return 1; }\nreturn one()',
      'async function one() { return 1; }\nreturn one()',
      "import { join } from 'node:path';\nreturn join('a', 'b').length - 2",
      `${FENCE}js\nreturn 1\n${FENCE}`,
      '/* (async */ return 1',
      '(0, 1); return 1',
    ]) {
      const { needs, value } = await asked(program);
      assert.deepEqual([needs, value], ['', 1], program);
    }
    for (const program of ['() => 1', '(async () => 1);', 'function f() { return 1; };']) {
      const { needs, value } = await asked(program);
      assert.deepEqual([needs, value], ['need acorn', 1], program);
    }
  });

  test(`${node}: what the parser finds too deep is no fault of the runner`, async () => {
    const sum = Array(30000).fill('1').join(' + ');
    const ended = await asked(sum, { last_value: true });
    assert.equal(ended.failure.code, 'unsupported_syntax');
    assert.equal((await asked(`(${sum}); return 1`)).value, 1);
  });

  test(`${node}: without a parser such texts are refused in words`, async () => {
    const alone = await asked('() => 1', { assets: {} });
    assert.equal(alone.failure.code, 'unsupported_syntax');
    assert.match(alone.failure.message, /lone function needs a build of errand with acorn$/);
    const last = await asked('1 + 1', { assets: {}, last_value: true });
    assert.match(last.failure.message, /^the value of the last expression needs a build/);
    const plain = await asked('return 1', { assets: {} });
    assert.equal(plain.value, 1);
  });
}
