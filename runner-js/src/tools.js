// What a namespace is to the program: a frozen object without a prototype that holds each function
// under its own name, under an identifier and, where the name has dots, under a path. The one
// called tools says what it has when it is asked for what it has not.
//
// It is laid out before the program runs; what the guard does afterwards uses saved intrinsics.

import { engine, list } from './intrinsics.js';
import { nearNames, member, listed } from './near.js';

const { defineProperty, setPrototypeOf, create, freeze, slice, Proxy, TypeError } = engine;

const GUARDED = 'tools';
const AVAILABLE_MAX = 20;
const KEY_MAX = 100;
const ArrayPrototype = Array.prototype;

// What engines and libraries ask of any object, and of any function.
const ASKED_OF_OBJECTS = create(null);
for (const name of [...Object.getOwnPropertyNames(Object.prototype), 'then', 'toJSON'])
  ASKED_OF_OBJECTS[name] = true;
const ASKED_OF_FUNCTIONS = create(null);
for (const name of Object.getOwnPropertyNames(Function.prototype)) ASKED_OF_FUNCTIONS[name] = true;

// What has a then is taken for a promise.
export const shownAs = (name) => (name === 'then' ? 'then_' : name);

// Each code point that may not stand at its place becomes one _.
function identifierOf(name) {
  let out = '';
  for (const c of name) out += /^[A-Za-z_$]$/.test(c) || (out && /^[0-9]$/.test(c)) ? c : '_';
  return shownAs(out || '_');
}

function put(object, key, value, enumerable) {
  if (key in object) return;
  defineProperty(object, key, { __proto__: null, value, enumerable });
}

// What the program is told about a member that is not there. near: an array for the program.
function describeMissing(path, key, names) {
  const short = slice(key, 0, KEY_MAX);
  const near = nearNames(short, names);
  let message = `${path}${member(short)} does not exist.`;
  if (near.length > 0) message += ` Did you mean ${listed(near, path)}?`;
  else if (names.length > 0 && names.length <= AVAILABLE_MAX)
    message += ` Available: ${listed(names, null)}.`;
  message += ' ALL_TOOLS lists every tool; tools.search({ query }) finds tools by topic.';
  message += ` Check for a member with ${engine.stringify(short)} in ${path}.`;
  const suggestions = list();
  for (let i = 0; i < near.length; i++) {
    const whole = path + member(near[i]);
    suggestions[i] = slice(whole, GUARDED.length + (slice(whole, 5, 6) === '.' ? 1 : 0));
  }
  return { __proto__: null, message, suggestions: setPrototypeOf(suggestions, ArrayPrototype) };
}

// Stands for a tool that is not there, and for all within it, where failures are values: calling it
// says so.
function newAbsent(path, key, names) {
  const absent = async () => {
    const { message, suggestions } = describeMissing(path, key, names);
    return { ok: false, error: { code: 'tool_not_found', message, suggestions } };
  };
  const outer = new Proxy(absent, {
    __proto__: null,
    get(target, further) {
      if (typeof further === 'symbol' || further in ASKED_OF_FUNCTIONS) return target[further];
      return further in ASKED_OF_OBJECTS ? undefined : outer;
    },
  });
  return outer;
}

// Newer engines print a proxy as one; what is told of is what it holds.
function bareOf(object) {
  const shown = create(null);
  const keys = engine.objectKeys(object);
  for (let i = 0; i < keys.length; i++) put(shown, keys[i], object[keys[i]], true);
  return shown;
}

function guard(object, path, asValues) {
  const names = () => engine.objectKeys(object);
  put(object, Symbol.toPrimitive, () => `[object ${path}]`, false);
  put(object, Symbol.for('nodejs.util.inspect.custom'), () => bareOf(object), false);
  return new Proxy(object, {
    __proto__: null,
    get(target, key) {
      const value = target[key];
      if (value !== undefined || typeof key === 'symbol' || key in ASKED_OF_OBJECTS) return value;
      if (asValues) return newAbsent(path, key, names());
      throw new TypeError(describeMissing(path, key, names()).message);
    },
  });
}

// The object that part names within node, made where it is not there; undefined: a function is.
function enter(node, part, wrap) {
  const key = identifierOf(part);
  const path = node.path + member(key);
  if (!(key in node.inner)) {
    if (key in node.object) return undefined;
    const object = create(null);
    const outer = wrap(object, path);
    node.inner[key] = { object, outer, path, inner: create(null), nodes: node.nodes };
    node.nodes.push(node.inner[key]);
    put(node.object, key, outer, node.outer !== undefined);
  }
  put(node.object, part, node.inner[key].outer, false);
  return node.inner[key];
}

// Functions whose names have dots, by path. Those with fewer come first, so that whatever the order
// a function has its place. Returns the path of each that has one.
function putPaths(root, names, askers, wrap) {
  const paths = [];
  const dotted = names
    .map((name, k) => ({ parts: name.split('.'), k }))
    .filter(({ parts }) => parts.length > 1 && !parts.includes(''))
    .sort((a, b) => a.parts.length - b.parts.length || a.k - b.k);
  for (const { parts, k } of dotted) {
    const last = parts.pop();
    const node = parts.reduce((at, part) => at && enter(at, part, wrap), root);
    if (node === undefined) continue;
    const key = identifierOf(last);
    if (!(key in node.object)) paths[k] = slice(node.path + member(key), root.path.length + 1);
    put(node.object, key, askers[k], true);
    if (last !== 'then') put(node.object, last, askers[k], false);
  }
  return paths;
}

// The names by which Object.keys knows the functions; null: an earlier one has all of its names.
function putNames(object, names, askers, guarded) {
  const shown = [];
  names.forEach((name, k) => {
    const key = guarded ? identifierOf(name) : shownAs(name);
    const own = key in object ? name : key;
    shown[k] = own in object || own === 'then' ? null : own;
    put(object, own, askers[k], shown[k] !== null);
  });
  names.forEach((name, k) => {
    if (guarded && name !== 'then') put(object, name, askers[k], false);
    if (!guarded) put(object, identifierOf(name), askers[k], false);
  });
  return shown;
}

// told: boot's namespace; askers: its functions. more(facts): what tools itself has besides, by
// name; facts: { shown, paths }, a name and a path of each function, where it has them.
export function newSpace(told, askers, more) {
  const { name, functions } = told;
  const guarded = name === GUARDED;
  const wrap = (object, path) =>
    guarded ? guard(object, path, told.failures === 'value') : object;
  const object = create(null);
  const root = { object, path: name, inner: create(null), nodes: [] };
  const shown = putNames(object, functions, askers, guarded);
  const paths = putPaths(root, functions, askers, wrap);
  if (!guarded) {
    for (const node of root.nodes) freeze(node.object);
    return { [name]: freeze(object) };
  }
  const facts = { shown, paths };
  for (const about of told.abouts || []) if (about !== null) setPrototypeOf(about, null);
  const extras = more(facts);
  for (const key of Object.keys(extras)) put(object, key, extras[key], false);
  const outer = wrap(object, name);
  for (const node of [root, ...root.nodes]) freeze(node.object);
  return { [name]: outer, ALL_TOOLS: listAll(told, shown) };
}

function listAll({ abouts }, shown) {
  const all = [];
  shown.forEach((name, k) => {
    const { description = '' } = (abouts && abouts[k]) || {};
    if (name !== null) all.push(freeze({ name, description }));
  });
  return freeze(all);
}

// The functions of a bare namespace are globals themselves, or members of one: a.b is b of a.
// globals: those that there are, of bare namespaces alone.
export function putBare(told, askers, globals) {
  told.functions.forEach((name, k) => {
    const [outer, inner] = name.split('.');
    if (inner === undefined) globals[shownAs(name)] = askers[k];
    else put((globals[outer] ||= create(null)), shownAs(inner), askers[k], true);
  });
}
