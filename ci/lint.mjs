#!/usr/bin/env node
// lint.mjs - what compilers and clang-tidy do not see: lengths, banned calls, who includes whom,
// files that nothing uses, links that lead nowhere. Prints every finding; exit 1 if there is one.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));

const MAX_COLUMNS = 100;
const MAX_FUNCTION_LINES = 70;
const BANNED = 'strcpy strcat stpcpy sprintf vsprintf strtok atoi atol atof gets system popen ' +
  'signal sleep usleep alarm rand srand time alloca';
const HEAP = 'malloc calloc realloc reallocarray free strdup strndup asprintf vasprintf';
const OUTPUT = 'printf fprintf vprintf vfprintf dprintf puts fputs putchar fputc putc perror';
const CLOCK = 'clock_gettime gettimeofday';

const PURE = '<(assert|limits|stdbool|stddef|stdint|stdarg|stdio|string|inttypes|errno)\\.h>';
const SYSTEM = '<[a-z/_0-9]+\\.h>';
const LAYERS = {
  base: `${PURE}|<(stdlib|unistd)\\.h>|<errand/(errand|export)\\.h>|"base/`,
  core: `${PURE}|<errand/(errand|export)\\.h>|"(base|core)/`,
  transport: `${SYSTEM}|"(base|transport)/`,
  run: `${SYSTEM}|"(base|core|transport|run)/`,
  cli: `${SYSTEM}|"(base|cli)/`,
};

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 26 });
const files = git('ls-files', '--cached', '--others', '--exclude-standard').split('\n')
  .filter((file) => file !== '' && existsSync(file) && statSync(file).isFile());
const written = files.filter((file) => !/\/corpus\/|package-lock\.json$|\.patch$/.test(file));
const texts = new Map(written.map((file) => [file, readFileSync(file, 'utf8')]));
const cFiles = written.filter((file) => /\.[ch]$/.test(file));
const productFiles = cFiles.filter((file) => file.startsWith('src/'));
const sources = written.filter((file) => !file.includes('/scenarios/') &&
  (/\.(c|h|m?js|in|cmake|sh)$|CMakeLists\.txt$/.test(file) || isShell(file)));

let findings = 0;

function isShell(file) {
  return /^#!\/bin\/(ba)?sh/.test(texts.get(file));
}

function found(file, line, what, text = '') {
  findings += 1;
  console.log(`${file}:${line}: ${what}${text === '' ? '' : `: ${text.trim().slice(0, 80)}`}`);
}

function eachLine(some, regex, what, map = (text) => text) {
  for (const file of some) {
    map(texts.get(file)).split('\n').forEach((line, index) => {
      if (regex.test(line)) found(file, index + 1, what, line);
    });
  }
}

// C without its comments and with its strings emptied; lines stay where they were.
function code(text) {
  return text.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\*[^]*?\*\/|\/\/[^\n]*/g,
    (token) => {
      if (token[0] === '/') return token.replace(/[^\n]/g, ' ');
      return token[0] + token[0];
    });
}

const call = (words) => new RegExp(`(?<![\\w.>])(${words.replaceAll(' ', '|')})\\s*\\(`);
const without = (some, regex) => some.filter((file) => !regex.test(file));

function checkLayout() {
  eachLine(sources, new RegExp(`^.{${MAX_COLUMNS + 1},}$`, 'u'), `over ${MAX_COLUMNS} columns`);
  eachLine(sources, /[ \t\r]$/, 'blank at the end of a line');
  eachLine(sources, /\t/, 'tab');
  for (const file of sources) {
    if (!texts.get(file).endsWith('\n')) found(file, 0, 'no line break at the end');
  }
  const places = new RegExp('^(src|runner-js|include|tests|ci|docs|examples)/|^\\.|' +
    '^(CMakeLists\\.txt|CMakePresets\\.json|README\\.md)$');
  for (const file of files) {
    if (!places.test(file)) found(file, 0, 'no such place in the tree');
    if (/(^|[/_.-])(utils?|common|helpers?|misc)([/_.-]|$)/i.test(file)) {
      found(file, 0, 'a name that says nothing');
    }
  }
}

// The first comment of a file says its name and what it knows.
function checkHeads() {
  for (const file of cFiles) {
    if (!texts.get(file).startsWith(`/* ${basename(file)} - `)) {
      found(file, 1, `does not begin with /* ${basename(file)} - ...`);
    }
  }
}

// clang-tidy counts lines of C functions; here are those of JavaScript and shell.
function checkFunctions() {
  const head = new RegExp('^( *)(?:(?:export )?(?:async )?function\\b.*|' +
    '(?:const|let) \\w+ = .*=>|[a-z_]+\\(\\)) \\{$');
  for (const file of sources.filter((name) => /\.m?js$/.test(name) || isShell(name))) {
    const lines = texts.get(file).split('\n');
    lines.forEach((line, start) => {
      const match = head.exec(line);
      if (match === null) return;
      const close = lines.findIndex((text, at) => at > start && text.startsWith(`${match[1]}}`));
      if (close - start + 1 > MAX_FUNCTION_LINES) {
        found(file, start + 1, `function of ${close - start + 1} lines`, line);
      }
    });
  }
}

function checkCalls() {
  eachLine(productFiles, call(BANNED), 'banned call', code);
  eachLine(without(productFiles, /^src\/base\/mem\.c$/), call(HEAP),
    'heap outside src/base/mem.c', code);
  eachLine(without(productFiles, /^src\/cli\//), call(OUTPUT), 'output outside src/cli', code);
  eachLine(without(productFiles, /^src\/(run|cli)\//), call(CLOCK),
    'clock outside the driver', code);
}

// Each layer knows only what stands below it; transport and core do not know each other.
function checkLayers() {
  for (const file of productFiles) {
    const allowed = new RegExp(`^ *# *include *(${LAYERS[file.split('/')[1]]})`);
    texts.get(file).split('\n').forEach((line, index) => {
      if (!/^ *# *include\b/.test(line)) return;
      if (!allowed.test(line)) found(file, index + 1, 'includes what its layer may not', line);
    });
  }
  const jansson = /^src\/(cli\/|run\/(boot|record|replay))/;
  eachLine(without(productFiles, jansson), /# *include *<jansson/,
    'jansson stays in boot messages, records and the command');
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

// A C file is named by its folder's CMakeLists.txt, a header by an include, the rest by anything.
function isUsed(file) {
  const name = basename(file);
  if (file.startsWith('include/')) return true;
  if (name.endsWith('.h')) {
    const include = new RegExp(`# *include .*["/<]${escaped(name)}[">]`);
    return cFiles.some((other) => include.test(texts.get(other)));
  }
  const list = texts.get(`${dirname(file)}/CMakeLists.txt`) ?? '';
  if (name.endsWith('.c')) {
    const stem = escaped(name.slice(0, -2));
    const short = stem.replace(/^(test|fuzz|bench)_/, '');
    return new RegExp(`(?<!\\w)(${stem}|${short})(?!\\w)`).test(list);
  }
  if (/\*|GLOB/.test(list) || /\/(corpus|scenarios|mutants|tools|test)\//.test(file)) return true;
  return [...texts].some(([other, text]) => other !== file && text.includes(name));
}

function checkDead() {
  for (const file of written) {
    if (!file.includes('/') || file.startsWith('.')) continue;
    if (!/(CMakeLists\.txt|package(-lock)?\.json)$/.test(file) && !isUsed(file)) {
      found(file, 0, 'nothing uses it');
    }
  }
}

function checkWords() {
  const others = written.filter((file) => file !== 'ci/lint.mjs');
  eachLine(others, /\b(TODO|FIXME|XXX|HACK)\b/, 'unfinished');
  eachLine(others, /(^|[^\w.$~}*/])\/(home\/\w+|root|Users|work|srv)\/|\/opt\/nodes\b/,
    'path of one machine');
  eachLine(others, /\b(issue|pull request|PR) *#?\d+/i, 'number of a ticket');
}

// Relative links in the pages lead somewhere.
function checkLinks() {
  for (const file of written.filter((name) => name.endsWith('.md'))) {
    for (const [, target] of texts.get(file).matchAll(/\]\(([^)#\s]+)/g)) {
      if (/^[a-z]+:/.test(target) || existsSync(join(dirname(file), target))) continue;
      found(file, 0, 'link leads nowhere', target);
    }
  }
}

function checkShell() {
  try {
    execFileSync('shellcheck', ['--format=gcc', ...sources.filter(isShell)], { encoding: 'utf8' });
  } catch (error) {
    const lines = (error.stdout ?? '').split('\n').filter((line) => line !== '');
    if (lines.length === 0) throw error;
    findings += lines.length;
    console.log(lines.join('\n'));
  }
}

checkLayout();
checkHeads();
checkFunctions();
checkCalls();
checkLayers();
checkDead();
checkWords();
checkLinks();
checkShell();
process.exitCode = findings === 0 ? 0 : 1;
