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
  value: `${PURE}|<(math|stdlib)\\.h>|<errand/(errand|export|value)\\.h>|"(base|core|value)/`,
  transport: `${SYSTEM}|"(base|transport)/`,
  run: `${SYSTEM}|"(base|core|value|transport|run)/`,
  cli: `${SYSTEM}|"(base|cli)/|"core/json\\.h"`,
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

// The first comment of a file says what it knows; in the product it begins with the file's name.
function checkHeads() {
  for (const file of cFiles) {
    const head = file.startsWith('tests/') ? '/* ' : `/* ${basename(file)} - `;
    if (!texts.get(file).startsWith(head)) found(file, 1, `does not begin with ${head}...`);
  }
}

// clang-tidy counts lines of C functions; here are those of JavaScript and shell. What stands in
// a function inside does not count: in JavaScript that is how state is kept private.
function checkFunctions() {
  const head = new RegExp('^( *)(?:(?:export )?(?:async )?function\\b.*|' +
    '(?:const|let) \\w+ = .*=>|[a-z_]+\\(\\)) \\{$');
  for (const file of sources.filter((name) => /\.m?js$/.test(name) || isShell(name))) {
    const open = [];
    texts.get(file).split('\n').forEach((line, at) => {
      for (const one of open) one.own += 1;
      const match = head.exec(line);
      if (match !== null) {
        for (const one of open) one.own -= 1;
        open.push({ indent: match[1], start: at, own: 1, line });
        return;
      }
      const last = open.at(-1);
      if (last === undefined || !line.startsWith(`${last.indent}}`)) return;
      open.pop();
      for (const one of open) one.own -= last.own - 1;
      if (last.own > MAX_FUNCTION_LINES) {
        found(file, last.start + 1, `function of ${last.own} lines`, last.line);
      }
    });
  }
}

function checkCalls() {
  eachLine(productFiles, call(BANNED), 'banned call', code);
  eachLine(without(productFiles, /^src\/base\/mem\.c$/), call(HEAP),
    'heap outside src/base/mem.c', code);
  eachLine(without(productFiles, /^src\/cli\//), call(OUTPUT), 'output outside src/cli', code);
  eachLine(without(productFiles, /^src\/(run\/|cli\/|transport\/e2b\/calendar\.c)/), call(CLOCK),
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
  const jansson = /^src\/(cli\/|run\/(boot|record|replay|schema)|transport\/e2b\/)/;
  eachLine(without(productFiles, jansson), /# *include *<jansson/,
    'jansson stays in boot messages, schemas, records, REST bodies and the command');
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

// A file of the product by its whole path below src, as an include or its layer's list has it.
function isUsedInProduct(file) {
  const [, layer, ...rest] = file.split('/');
  if (file.endsWith('.h')) {
    const include = new RegExp(`# *include "${escaped([layer, ...rest].join('/'))}"`);
    return cFiles.some((other) => include.test(texts.get(other)));
  }
  const list = texts.get(`src/${layer}/CMakeLists.txt`) ?? '';
  return new RegExp(`(?<![\\w/])${escaped(rest.join('/'))}(?!\\w)`).test(list);
}

// A C file is named by its folder's CMakeLists.txt, a header by an include, the rest by anything.
function isUsed(file) {
  const name = basename(file);
  if (file.startsWith('include/')) return true;
  if (/^src\/.*\.[ch]$/.test(file)) return isUsedInProduct(file);
  if (name.endsWith('.h')) {
    const include = new RegExp(`# *include .*["/<]${escaped(name)}[">]`);
    return cFiles.some((other) => include.test(texts.get(other)));
  }
  const list = texts.get(`${dirname(file)}/CMakeLists.txt`) ?? '';
  if (name.endsWith('.c')) {
    const stem = escaped(name.slice(0, -2));
    const short = stem.replace(/^(test|fuzz|bench)_/, '');
    return new RegExp(`(?<!\\w)(${stem}|${short})(?!\\w)`).test(list) ||
      [...texts].some(([other, text]) => other.endsWith('CMakeLists.txt') && text.includes(name));
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

// Every word by which a run may end, or a call be rejected, stands on the page that lists them.
function checkCodes() {
  const page = 'docs/embedding.md';
  const words = new Set();
  const collect = (some, regex) => {
    for (const file of some) {
      for (const [, word] of texts.get(file).matchAll(regex)) words.add(word);
    }
  };
  collect(productFiles, /ERRAND_KIND_[A-Z_]+,\s*"(\w+)"/g);
  collect(productFiles, /^ *\{"((?:node|stdin|bad|runner)_\w+)", "/gm);
  collect(written.filter((file) => file.startsWith('runner-js/src/')), /code: '(\w+)'/g);
  if (words.size < 20) found(page, 0, 'the words of endings were not found in the sources');
  for (const word of words) {
    if (!texts.get(page).includes(`\`${word}\``)) found(page, 0, 'does not tell of', word);
  }
}

// The table of limits on that page is the one in the sources, number for number.
function checkLimits() {
  const page = 'docs/embedding.md';
  const commas = (text) => Number(text).toLocaleString('en-US');
  const size = (text) => text.replace(/^(?:(\d+) \* )?(K|M)IB$/, (all, count, unit) =>
    `${count ?? 1} ${unit}iB`);
  const field = /FIELD\((\w+)\), UNIT_(\w+), (\w+), ([^,]+), (\d+),/g;
  const limits = [...texts.get('src/run/limits.c').matchAll(field)];
  if (limits.length < 20) found(page, 0, 'the limits were not found in the sources');
  for (const [, name, unit, off, standard, least] of limits) {
    let shown = unit === 'BYTES' ? size(standard) : commas(standard);
    if (standard === 'ERRAND_UNLIMITED') shown = 'off';
    if (standard === '0') shown = '[^|]+'; // Follows from something else, which is said.
    const from = name === 'frame_bytes' ? '`output_bytes`' : commas(least);
    const cells = [`\`${name}\``, shown, from, off === 'true' ? 'yes' : 'no'];
    const row = new RegExp(`^\\| ${cells.join(' \\| ')} \\|`, 'm');
    if (!row.test(texts.get(page))) found(page, 0, 'tells otherwise of', name);
  }
}

function checkShell() {
  try {
    execFileSync('shellcheck', ['--format=gcc', '--severity=warning',
      ...sources.filter(isShell)], { encoding: 'utf8' });
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
checkCodes();
checkLimits();
checkShell();
process.exitCode = findings === 0 ? 0 : 1;
