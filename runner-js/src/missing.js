// Imports that fail: where they were asked for, and what may have been meant. Knows no way to load
// anything.
//
// Uses saved intrinsics alone: what it is asked about comes from the program.

import { engine, list } from './intrinsics.js';
import { hintAmong, nearNames } from './near.js';
import { SKIPPED } from './imports.js';
import { readText } from './stacks.js';

const { WeakMap, indexOf, weakGet, weakSet, exec, RegExp, ownKeys, endsWith } = engine;

// What node calls a specifier that leads to no module; and who asked, where it was a file.
const NOT_FOUND = new RegExp('^ERR_(?!UNKNOWN_BUILTIN).*(?:MODULE|UNSUPPORTED|PACKAGE_IMPORT)');
const ASKED_BY_FILE = new RegExp(' imported from .*[^\\]/]$');
const QUOTED = String.raw`(?:'([^'\n]*)'|"([^"\n]*)")`;
const STATIC = String.raw`\b(?:from|import)\s*${QUOTED}|${SKIPPED}`;
const CALL = String.raw`(?<![.\w$])(import)\s*\(\s*(?:${QUOTED}|\`([^\`\n]*)\`)?|${SKIPPED}`;

// Of an offset.
export function placeAt(text, at) {
  let line = 1;
  let start = 0;
  for (let end = indexOf(text, '\n'); end >= 0 && end < at; end = indexOf(text, '\n', start)) {
    start = end + 1;
    line++;
  }
  return { line, column: at - start + 1 };
}

// Where the text of a module imports that, as far as a glance tells.
export function placeOfImport(text, specifier) {
  const pattern = new RegExp(STATIC, 'g');
  let found = exec(pattern, text);
  while (found !== null && (found[1] ?? found[2]) !== specifier) found = exec(pattern, text);
  return placeAt(text, found === null ? 0 : pattern.lastIndex - specifier.length - 2);
}

// Where a text calls import() for that, next to a place: the engine knows that of the statement, of
// the argument, or of what stands behind.
function placeOfCall(text, specifier, near) {
  let at = near.column - 1;
  for (let line = 1, end = 0; line < near.line; line++) {
    end = indexOf(text, '\n', end) + 1;
    at = end + near.column - 1;
  }
  const pattern = new RegExp(CALL, 'g');
  let best = -1;
  let least = text.length;
  for (let found = exec(pattern, text); found !== null; found = exec(pattern, text)) {
    if (found[1] === undefined) continue;
    const said = found[2] ?? found[3] ?? found[4] ?? specifier;
    const away = found.index < at ? at - pattern.lastIndex : found.index - at;
    if (said !== specifier || away > least) continue;
    best = found.index;
    least = away;
  }
  return best < 0 ? near : placeAt(text, best);
}

function namesOf(space) {
  const names = list();
  const keys = ownKeys(space);
  for (let i = 0; i < keys.length; i++)
    if (typeof keys[i] === 'string') names[names.length] = keys[i];
  return names;
}

// As a package has it that is no module by itself.
function isInDefault(name, space) {
  try {
    return name in space.default;
  } catch {
    return false;
  }
}

function hintForExport(name, specifier, space) {
  if (isInDefault(name, space)) return `the default export of ${specifier} has it`;
  const names = namesOf(space);
  if (names.length === 0) return `${specifier} exports nothing`;
  const many = `${specifier} has ${names.length} exports`;
  return hintAmong(name, names, null, `${specifier} has`, many);
}

// names: of the modules that came with the program of that name and text. pure: what says that
// there is no other says which there are.
export function newMissing({ names, name, text, pure }) {
  const notes = new WeakMap();

  const noteOf = (error) => {
    const known = weakGet(notes, error);
    if (known !== undefined) return known;
    const note = { __proto__: null, frames: '', inner: '', outer: '', place: null };
    if (typeof error === 'object' && error !== null) weakSet(notes, error, note);
    return note;
  };

  const hintFor = (specifier) => {
    const { length } = names;
    for (let i = 0; i < length; i++)
      if (names[i] === specifier) return 'it was given as a module: await import() finds it';
    if (length === 0) return 'no modules were given to the program';
    const many = `${length} modules were given to the program`;
    return hintAmong(specifier, names, null, 'modules given to the program', many);
  };

  // Whether there is none of that name; of what a file lacks that node loaded, nothing is to say.
  const isMiss = (error) => {
    if (pure) return true;
    if (exec(NOT_FOUND, readText(error, 'code') ?? '') === null) return false;
    const message = readText(error, 'message') ?? '';
    return exec(ASKED_BY_FILE, message) === null || endsWith(message, ` from ${name}`);
  };

  return {
    // What is known of an error that an import threw, or undefined: missed, where it says that
    // there is none of that name; its hint; frames of texts, to stand behind its own; inner and
    // outer, stacks of what runs, behind those: of a module's import, and of the program's;
    // specifier of the latter, and its place if it is static.
    about: (error) => weakGet(notes, error),
    hintFor,
    placeOfCall: (specifier, near) => placeOfCall(text, specifier, near),

    // by: where a module asks for it, as { name, line, column }, or null.
    missed(error, specifier, by) {
      const note = noteOf(error);
      if (by !== null) note.frames = `\n    at ${by.name}:${by.line}:${by.column}`;
      if (!isMiss(error)) return;
      note.missed = true;
      const listed = pure && nearNames(specifier, names).length === 0;
      const who = by === null ? undefined : `module ${by.name} (line ${by.line}) asks for it`;
      const meant = listed ? undefined : hintFor(specifier);
      note.hint = who === undefined || meant === undefined ? (who ?? meant) : `${who}; ${meant}`;
    },

    // It was thrown to who imports: a module (null), or the program, by that specifier, where its
    // place is known or null.
    passed(error, stack, specifier, place) {
      const note = noteOf(error);
      if (specifier === null) {
        note.inner = stack;
      } else {
        note.outer = place === null ? stack : '';
        note.specifier = specifier;
      }
      note.place ??= place;
    },

    // What is to be thrown where the module lacks one of what the text wants of it, else null.
    lacking({ specifier, wants }, space, SyntaxError) {
      for (let i = 0; i < wants.length; i++) {
        const want = wants[i];
        if (want.name in space) continue;
        const error = new SyntaxError(
          `The requested module '${specifier}' does not provide an export named '${want.name}'`,
        );
        const note = noteOf(error);
        note.hint = hintForExport(want.name, specifier, space);
        note.place = placeAt(text, want.at);
        return error;
      }
      return null;
    },
  };
}
