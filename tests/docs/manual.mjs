// manual.mjs - the manual page and --help tell of the same options, and the page formats well.
// usage: manual.mjs PAGE ERRAND
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const [page, errand] = process.argv.slice(2);
const text = readFileSync(page, 'utf8');
let passed = 0;
let failed = 0;

function judge(what, ok, detail = '') {
  if (ok) passed += 1;
  else failed += 1;
  if (!ok) console.log(`FAILED ${what}\n${detail}`);
}

function say(command, ...args) {
  const result = spawnSync(command, args, { encoding: 'utf8', timeout: 60000 });
  if (result.error !== undefined) throw result.error;
  return result;
}

// As the page writes them: "Fl \-name" is --name, "Fl e" is -e.
const written = new Set(Array.from(text.matchAll(/\bFl (\\-)?([a-z][a-z-]*)/g),
  ([, dash, name]) => `-${dash === undefined ? '' : '-'}${name}`));
const offered = new Set(['-h', '--version']);
for (const name of ['run', 'check', 'doctor', 'replay', 'sandbox', 'tools']) {
  const help = say(errand, name, '--help').stdout;
  for (const [, option] of help.matchAll(/^ {2}(?:-h, )?(--?[a-z][a-z-]*)/gm)) offered.add(option);
}

judge('--help tells of options', offered.size > 10, [...offered].join(' '));
for (const option of offered) judge(`the page tells of ${option}`, written.has(option));
for (const option of written) judge(`there is an option ${option}`, offered.has(option));
const formatted = say('groff', '-mandoc', '-ww', '-z', page);
judge('groff has nothing to say', formatted.status === 0 && formatted.stderr === '',
  formatted.stderr);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
