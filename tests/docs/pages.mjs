// pages.mjs - compiles each block of C on a page, runs each that has a main, and runs each
// command of a console block; what follows a "$ command" must be its output, and where the
// paragraph behind a program says that it prints `TEXT`, it must print that.
// usage: pages.mjs PAGE COMPILER LIBRARY ERRAND [FLAGS]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

const [page, compiler, library, errand, sanitize = ''] = process.argv.slice(2);
const room = mkdtempSync(join(tmpdir(), 'errand-pages-'));
const warnings = ['-Wall', '-Wextra', '-Werror', '-Wno-unused-function'];
// What a fragment may take as given; a block that includes anything itself gets nothing.
const prelude = ['errand/e2b.h', 'errand/errand.h', 'errand/fake.h', 'assert.h', 'poll.h',
  'stdint.h', 'stdio.h', 'stdlib.h', 'string.h'].map((name) => `#include <${name}>\n`).join('');

let passed = 0;
let failed = 0;

function judge(what, ok, detail) {
  if (ok) passed += 1;
  else failed += 1;
  console.log(`${ok ? 'ok' : 'FAILED'} ${what}${ok ? '' : `\n${detail}`}`);
}

function blocks(text) {
  const found = [];
  for (const match of text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)) {
    const line = text.slice(0, match.index).split('\n').length;
    const [behind] = text.slice(match.index + match[0].length).trimStart().split('\n\n');
    const prints = /\bprints `([^`]*)`/.exec(behind)?.[1];
    found.push({ language: match[1], text: match[2], prints, where: `${basename(page)}:${line}` });
  }
  return found;
}

function run(command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: 'utf8', timeout: 60000, ...options });
  if (result.error !== undefined) throw result.error;
  return result;
}

function checkC(block, index) {
  const source = join(room, `block-${index}.c`);
  const program = join(room, `block-${index}`);
  const whole = /^#include/m.test(block.text);
  const main = /\bint main\(/.test(block.text);
  const include = resolve('include');
  writeFileSync(source, whole ? block.text
    : `#define _GNU_SOURCE\n${prelude}#line 1 "${block.where}"\n${block.text}`);
  const flags = sanitize === '' ? [] : [sanitize];
  const output = main ? ['-o', program, library, `-Wl,-rpath,${dirname(library)}`, '-ljansson',
    '-lssh2', '-lcurl', '-lz', '-pthread'] : ['-c', '-o', `${program}.o`];
  const built = run(compiler, ['-std=c17', ...warnings, ...flags, `-I${include}`, source,
    ...output]);
  judge(`${block.where} compiles`, built.status === 0, built.stderr);
  if (main && built.status === 0) {
    const ran = run(program, []);
    judge(`${block.where} runs`, ran.status === 0, ran.stdout + ran.stderr);
    const { prints } = block;
    if (prints === undefined) return;
    judge(`${block.where} prints ${prints}`, ran.stdout === `${prints}\n`, ran.stdout);
  }
}

// "$ errand run ..." stands for the command of this build; other commands, such as those that
// set things up, are no examples of output and are left alone.
function checkConsole(block) {
  const parts = block.text.split(/^\$ /m).slice(1);
  for (const part of parts) {
    const [command, ...lines] = part.replace(/\\\n */g, '').split('\n');
    const expected = lines.join('\n').trimEnd();
    if (!/^(\S*\/)?errand /.test(command)) continue;
    const ran = run('/bin/sh', ['-c', `${command.replace(/^\S+/, '"$ERRAND"')} 2>&1`],
      { env: { ...process.env, ERRAND: errand } });
    judge(`${block.where} $ ${command}`, ran.stdout.trimEnd() === expected,
      `it said:\n${ran.stdout}the page says:\n${expected}`);
  }
}

// A program on a page is one of the examples, or the part of it behind its first comment.
function checkProgram(block) {
  const examples = readdirSync('examples').filter((name) => /\.(js|ts)$/.test(name));
  const ok = examples.some((name) => readFileSync(join('examples', name), 'utf8')
    .endsWith(block.text));
  judge(`${block.where} is an example`, ok, block.text);
}

blocks(readFileSync(page, 'utf8')).forEach((block, index) => {
  if (block.language === 'c') checkC(block, index);
  if (block.language === 'js' && errand !== 'none') checkProgram(block);
  if (block.language === 'console' && errand !== 'none') checkConsole(block);
});
rmSync(room, { recursive: true });
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
