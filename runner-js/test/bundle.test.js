// bundle.cmake joins what it understands and stops at what it does not.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cmake = process.env.ERRAND_CMAKE || 'cmake';
const script = fileURLToPath(new URL('../bundle.cmake', import.meta.url));

// files: name → text. more: further words for the script. Returns the bundle's text, or what cmake
// said.
function bundle(files, ...more) {
  const folder = mkdtempSync(join(tmpdir(), 'errand-bundle-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.js`), text);
  const out = join(folder, 'out.js');
  const names = Object.keys(files).join(',');
  const done = spawnSync(cmake, [
    `-DOUT=${out}`,
    `-DSOURCE=${folder}`,
    `-DMODULES=${names}`,
    '-DMAIN=main',
    '-DWORKER=main',
    ...more,
    '-P',
    script,
  ]);
  const result =
    done.status === 0 ? { text: readFileSync(out, 'utf8') } : { refused: done.stderr.toString() };
  rmSync(folder, { recursive: true });
  return result;
}

const evaluate = (text) => (0, eval)(text)(createRequire(import.meta.url), { worker: false });

test('modules come together, with all that CMake might trip over', () => {
  const { text, refused } = bundle({
    other: `// A comment; with [brackets] and a "quote".
import { join as glue } from 'node:path';
import os from 'node:os';
import * as url from 'node:url';
export const list = [1, [2, 3]]; export const not = 1;
export function twice(x) { return x * 2; }
export async function later() { return \`\${list[1][0]}; \\\\ \\n \${'a;b'.split(';')[1]}\`; }
export class Thing { static name2 = /[;\\]]/.test(']'); }
export const glued = glue('a', 'b') + typeof os.cpus + typeof url.URL;
`.replace('; export const not = 1', ''),
    main: `import {
  list, twice,
  later as soon,
} from './other.js';
import { Thing, glued } from './other.js';
const important = 'import'; // imports nothing
export function start() { return [list, twice(4), soon(), Thing.name2, glued, important]; }
`,
  });
  assert.equal(refused, undefined);
  const [list, eight, promise, tested, glued, word] = evaluate(text);
  assert.deepEqual(
    [list, eight, tested, glued, word],
    [[1, [2, 3]], 8, true, 'a/bfunctionfunction', 'import'],
  );
  assert.ok(!text.includes('A comment'));
  return promise.then((said) => assert.equal(said, '2; \\ \n b'));
});

test('what is first starts before the main module is loaded, which gets what it made', () => {
  const { text, refused } = bundle(
    {
      early: `export function start({ seen }) { seen.push('early'); return 7; }\n`,
      main: `globalThis.$seen.push('main');\nexport const start = (given, made) => made;\n`,
    },
    '-DFIRST=early',
  );
  assert.equal(refused, undefined);
  const seen = (globalThis.$seen = []);
  const made = (0, eval)(text)(createRequire(import.meta.url), { seen });
  delete globalThis.$seen;
  assert.deepEqual([made, seen], [7, ['early', 'main']]);
});

test('what it does not understand stops it, by name', () => {
  for (const line of [
    "import x from './main.js';",
    "import './main.js';",
    "import x, { y } from 'node:fs';",
    "import { x } from 'fs';",
    "import { x } from 'npm-package';",
    'export default 1;',
    'export { start };',
    'export let x = 1;',
    "export * from './main.js';",
    'export const { a } = {};',
  ]) {
    const { refused } = bundle({ main: `${line}\nexport function start() {}\n` });
    assert.ok(refused, line);
    assert.match(
      refused.replace(/\s+/g, ' '),
      /bundle: main\.js: not understood: (import|export)/,
      line,
    );
  }
  assert.match(
    bundle({ main: "import { x } from './missing.js';\n" }).refused.replace(/\s+/g, ' '),
    /imports missing\.js, which is no module of the bundle/,
  );
});
