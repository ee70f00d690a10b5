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
import { engine } from './intrinsics.js';

const { SourceTextModule, SyntheticModule } = vm;
const { mapGet, mapSet, objectKeys, stringify } = engine;

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

// sources: name → text. Returns { load, moved }: what answers import(), and a list of { name,
// place(line, column) } of modules whose lines moved. Throws Unfit.
export async function newModules(sources, ask) {
  const { context, load: refuse } = realmNow();
  const foreign = refuse ?? newImport();
  const modules = new Map();
  const links = new Map(); // name → a promise of all that it imports.
  const around = new Map(); // What is none of ours, once each: what was asked for → module.
  const moved = [];

  const find = (specifier, attributes) => {
    const plain = attributes === undefined || objectKeys(attributes).length === 0;
    return foreign(specifier, plain ? undefined : { with: attributes, assert: attributes });
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

  const load = async (specifier, referrer, attributes) => {
    const module = mapGet(modules, specifier);
    if (module === undefined) return find(specifier, attributes);
    if (mapGet(links, specifier) === undefined) mapSet(links, specifier, linked(module));
    await mapGet(links, specifier);
    await module.evaluate();
    return module;
  };

  const wrap = async (specifier, attributes) => {
    const space = await find(specifier, attributes);
    const names = objectKeys(space);
    const fill = () => {
      for (let i = 0; i < names.length; i++) made.setExport(names[i], space[names[i]]);
    };
    const made = new SyntheticModule(names, fill, { identifier: specifier, context });
    return made;
  };

  const link = (specifier, referrer, extra) => {
    const module = mapGet(modules, specifier);
    if (module !== undefined) return module;
    const attributes = (extra && (extra.attributes || extra.assert)) || {};
    const key = `${specifier} ${stringify(attributes)}`;
    if (mapGet(around, key) === undefined) mapSet(around, key, wrap(specifier, attributes));
    return mapGet(around, key);
  };

  for (const name of Object.keys(sources)) {
    const make = (code) =>
      new SourceTextModule(code, { identifier: name, context, importModuleDynamically: load });
    const { module, map } = await read(sources[name], name, make, ask);
    modules.set(name, module);
    if (map === null) continue;
    const back = newPlaces(JSON.parse(map));
    const place = (line, column) => {
      const at = back(line - 1, column - 1);
      return { line: at.line, column: at.column + 1 };
    };
    moved.push({ name, place });
  }
  return { load, moved };
}
