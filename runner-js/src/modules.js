// Modules that came with the program: what import() finds by exactly the name that home gave them,
// in the program and from one of them to another. All else is node's to find.
//
// They are modules to the engine too, so cycles, live bindings and await behave as anywhere. All
// are read before the program starts; each is run when it is first asked for.

import * as vm from 'node:vm';
import { BODY, Unfit, newImport, newScript, realmNow } from './program.js';
import { blanksFor } from './recover.js';
import { erase, found, isAmbiguous, isUnsupported, loadCompiler } from './erase.js';
import { newPlaces } from './sourcemap.js';
import { newMissing, placeAt, placeOfImport } from './missing.js';
import { readStack } from './stacks.js';
import { engine } from './intrinsics.js';

const { SourceTextModule, SyntheticModule } = vm;
const { Error, mapGet, mapSet, objectKeys, stringify } = engine;

const IMPOSSIBLE = { type: 'json', errand: 'check' };
const UNKNOWN = {}; // What a module exports that is not loaded.

function unfit(code, name, message, place) {
  const line = place === null ? '' : ` (line ${place.line})`;
  const error = new Unfit(code, `module ${name}${line}: ${message}`, null, undefined);
  return Object.assign(error, { module: name, modulePlace: place });
}

// The engine does not say where a module is wrong; of statements it does.
const DECLARED = new RegExp(
  String.raw`^[ \t]*(?:import\b(?!\s*[(.])[^;\n]*;?|` +
    String.raw`export\s*(?:\{[^{}]*\}|\*)[^;\n]*;?|export\s+(?:default\s+)?)`,
  'gm',
);

function placeOf({ message }, code, name) {
  try {
    newScript(code.replace(DECLARED, blanksFor), name, BODY);
  } catch (error) {
    if (error.message === message) return error.place;
  }
  return null;
}

// The text without types: { code, map }.
async function erased(text, name, ask) {
  const source = { text, name, lenient: false, module: true };
  try {
    const done = erase(source, null);
    if (done.needs === undefined) return done;
    const bytes = await ask('amaro');
    if (bytes === null) {
      const message = 'its TypeScript needs a build of errand with amaro';
      throw unfit('unsupported_syntax', name, message, null);
    }
    return erase(source, loadCompiler(bytes));
  } catch (error) {
    if (error instanceof Unfit) throw error;
    const { place, message } = found(error, text);
    throw unfit(isUnsupported(error) ? 'unsupported_syntax' : 'syntax_error', name, message, place);
  }
}

// make(code): a module of that code, or throws SyntaxError. Returns { module, map }.
async function read(text, name, make, ask) {
  const scriptOnly = /\.[mc]?js$/.test(name);
  if (scriptOnly || !isAmbiguous(text)) {
    try {
      return { module: make(text), map: null };
    } catch (error) {
      if (scriptOnly)
        throw unfit('syntax_error', name, error.message, placeOf(error, text, name));
    }
  }
  const { code, map } = await erased(text, name, ask);
  try {
    return { module: make(code), map };
  } catch (error) {
    const place = map === null ? placeOf(error, code, name) : null;
    throw unfit('syntax_error', name, error.message, place);
  }
}

// How what is none of ours is found: by foreign(specifier, options).
function newSeeker(foreign, missing) {
  return async (specifier, attributes, by) => {
    const plain = attributes === undefined || objectKeys(attributes).length === 0;
    const options = plain ? undefined : { with: attributes, assert: attributes };
    try {
      return await foreign(specifier, options);
    } catch (error) {
      missing.missed(error, specifier, by);
      throw error;
    }
  };
}

// The same where nothing may run: with attributes that no module has, node says whether it would
// have found it, and loads nothing. What comes with node may be loaded.
function newLooker(seek) {
  return async (specifier, attributes, by) => {
    if (/^node:/.test(specifier) || process.getBuiltinModule?.(specifier) !== undefined)
      return seek(specifier, undefined, by);
    try {
      await seek(specifier, IMPOSSIBLE, by);
    } catch (error) {
      if (/^ERR_(?!IMPORT_A)/.test(error.code)) throw error;
    }
    return UNKNOWN;
  };
}

// Links modules of ours to what they import. unsure(): whether to some that is UNKNOWN.
function newLinker(sources, modules, find, context) {
  const around = new Map(); // What is none of ours, once each: what was asked for → module.
  let unsure = false;

  const wrap = async (specifier, attributes, by) => {
    const space = await find(specifier, attributes, by);
    if (space === UNKNOWN) unsure = true;
    const names = objectKeys(space);
    const fill = () => {
      for (let i = 0; i < names.length; i++) made.setExport(names[i], space[names[i]]);
    };
    const made = new SyntheticModule(names, fill, { identifier: specifier, context });
    return made;
  };

  const link = (specifier, { identifier: name }, extra) => {
    const module = mapGet(modules, specifier);
    if (module !== undefined) return module;
    const attributes = (extra && (extra.attributes || extra.assert)) || {};
    const key = `${specifier} ${stringify(attributes)}`;
    if (mapGet(around, key) === undefined) {
      const { line, column } = placeOfImport(sources[name], specifier);
      mapSet(around, key, wrap(specifier, attributes, { name, line, column }));
    }
    return mapGet(around, key);
  };

  // One after another: a module is no part of two graphs that are being linked.
  let last = null;
  const linked = async (module) => {
    const before = last;
    const mine = (async () => {
      try {
        await before;
      } catch {
        // That was another's.
      }
      if (module.status === 'unlinked') await module.link(link);
    })();
    last = mine;
    return mine;
  };

  return { linked, unsure: () => unsure };
}

// Throws what one of the static imports would throw, as far as that shows without running anything.
async function lookAt(text, imports, graph, refuseLacking) {
  const { modules, find, missing, linked, unsure } = graph;
  for (const known of imports) {
    const { specifier, at } = known;
    const module = modules.get(specifier);
    try {
      if (module === undefined) {
        const space = await find(specifier, undefined, null);
        if (space !== UNKNOWN) refuseLacking(known, space);
      } else {
        await linked(module);
        if (!unsure()) refuseLacking(known, module.namespace);
      }
    } catch (error) {
      const about = missing.about(error);
      if (about === undefined && unsure()) continue;
      // Where it is a module that asks, that is the place.
      if (about === undefined || about.frames === '')
        missing.passed(error, '', specifier, placeAt(text, at));
      throw error;
    }
  }
}

// boot: of the run, with modules as name → text. ask(name): an asset's bytes, or null. Returns
// load, which answers import() to the program; expect(imports), which is to be told of the static
// ones, by which it begins; look(), which throws what these would, and runs nothing; moved, a list
// of { name, place(line, column) } of modules whose lines moved; and missing, of missing.js. Throws
// Unfit.
export async function newModules(boot, ask) {
  const { modules: sources = {}, name, program: text, check } = boot;
  const { context, load: refuse, classes } = realmNow();
  const pure = refuse !== null;
  const names = Object.keys(sources);
  const missing = newMissing({ names, name, text, pure });
  const seek = newSeeker(refuse ?? newImport(name), missing);
  const find = check && !pure ? newLooker(seek) : seek;
  const modules = new Map();
  const links = new Map(); // name → a promise of all that it imports.
  const linker = newLinker(sources, modules, find, context);
  let expected = [];
  let next = 0;

  const refuseLacking = (known, space) => {
    const error = missing.lacking(known, space, (classes ?? engine).SyntaxError);
    if (error !== null) throw error;
  };

  const loaded = async (specifier, attributes, known) => {
    const module = mapGet(modules, specifier);
    if (module !== undefined) {
      if (mapGet(links, specifier) === undefined)
        mapSet(links, specifier, linker.linked(module));
      await mapGet(links, specifier);
      await module.evaluate();
    }
    const found = module ?? (await find(specifier, attributes, null));
    if (known !== null) refuseLacking(known, module === undefined ? found : module.namespace);
    return found;
  };

  const newLoad = (byModule) => async (specifier, referrer, attributes) => {
    const here = new Error();
    const known = byModule || next === expected.length ? null : expected[next++];
    try {
      return await loaded(specifier, attributes, known);
    } catch (error) {
      const place = known === null ? null : placeAt(text, known.at);
      missing.passed(error, readStack(here) ?? '', byModule ? null : specifier, place);
      throw error;
    }
  };

  const moved = [];
  const importModuleDynamically = newLoad(true);
  for (const identifier of names) {
    const make = (code) =>
      new SourceTextModule(code, { identifier, context, importModuleDynamically });
    const { module, map } = await read(sources[identifier], identifier, make, ask);
    modules.set(identifier, module);
    if (map === null) continue;
    const back = newPlaces(JSON.parse(map));
    const place = (line, column) => {
      const at = back(line - 1, column - 1);
      return { line: at.line, column: at.column + 1 };
    };
    moved.push({ name: identifier, place });
  }
  const expect = (imports) => {
    expected = imports;
  };
  const graph = { modules, find, missing, ...linker };
  const look = () => lookAt(text, expected, graph, refuseLacking);
  return { load: newLoad(false), expect, look, moved, missing };
}
