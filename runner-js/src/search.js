// tools.search and tools.describe: what a program may ask about its tools, answered here.
//
// Words weigh by where they stand. Names in camel case, with _, - or dots fall into words. Answers
// are made of what boot said and never ask home. Uses saved intrinsics alone.

import { engine, list } from './intrinsics.js';
import { nearNames } from './near.js';

const { slice, codeUnit, lowerCase, indexOf, startsWith, setPrototypeOf, round, sort } = engine;
const { isInteger } = engine;
const ArrayPrototype = Array.prototype;

const WEIGHTS = { __proto__: null, path: 12, name: 10, integration: 8, description: 5 };
const FIELDS = ['path', 'name', 'integration', 'description'];
const LIMIT = 12;
const QUERY_MAX = 1000;
const SEARCH_WANTS =
  'tools.search expects an object: ' +
  '{ query?: string, namespace?: string, limit?: number, offset?: number }';
const DESCRIBE_WANTS = 'tools.describe expects an object: { path: string }';
const FAILURE =
  '{ code: string; message: string; status?: number; retryable?: boolean; details?: unknown; ' +
  'suggestions?: Array<string>; }';

const SMALL = 1;
const BIG = 2;
const DIGIT = 3;

function kindOf(unit) {
  if (unit >= 0x61 && unit <= 0x7a) return SMALL;
  if (unit >= 0x41 && unit <= 0x5a) return BIG;
  if (unit >= 0x30 && unit <= 0x39) return DIGIT;
  return unit > 0x7f ? SMALL : 0;
}

// The words of a text, in lower case.
function wordsOf(text) {
  const words = list();
  let from = 0;
  let before = 0;
  for (let i = 0; i <= text.length; i++) {
    const kind = i < text.length ? kindOf(codeUnit(text, i)) : 0;
    const hump = kind === BIG && (before === SMALL || before === DIGIT);
    if ((kind === 0 || hump) && i > from) words[words.length] = lowerCase(slice(text, from, i));
    if (kind === 0) from = i + 1;
    else if (hump) from = i;
    before = kind;
  }
  return words;
}

function joined(words) {
  let text = '';
  for (let i = 0; i < words.length; i++) text += (i > 0 ? ' ' : '') + words[i];
  return text;
}

// 4: one of the words; 2: how one begins; 1: a part of the text.
function gradeOf(word, field) {
  let grade = indexOf(field.text, word) >= 0 ? 1 : 0;
  for (let i = 0; i < field.words.length; i++) {
    if (field.words[i] === word) return 4;
    if (startsWith(field.words[i], word)) grade = 2;
  }
  return grade;
}

function phraseGrade(phrase, text) {
  if (text === phrase) return 14;
  if (startsWith(text, phrase)) return 9;
  return indexOf(text, phrase) >= 0 ? 6 : 0;
}

// 0: it does not match.
function scoreOf(entry, words, phrase) {
  const found = list();
  let score = 0;
  let whole = false;
  let exact = false;
  for (let f = 0; f < FIELDS.length; f++) {
    const field = entry.fields[FIELDS[f]];
    const weight = WEIGHTS[FIELDS[f]];
    const grade = phraseGrade(phrase, field.text);
    whole = whole || grade > 0;
    exact = exact || (grade === 14 && f < 2);
    score += weight * grade;
    for (let i = 0; i < words.length; i++) {
      const times = gradeOf(words[i], field);
      if (times > 0) found[i] = true;
      score += weight * times;
    }
  }
  let covered = 0;
  for (let i = 0; i < words.length; i++) if (found[i]) covered++;
  const coverage = covered / words.length;
  if (!whole && coverage < (words.length <= 2 ? 1 : 0.6)) return 0;
  score += coverage === 1 ? 25 : round(coverage * 10);
  return score + (found[0] ? 8 : 0) + (exact ? 20 : 0);
}

function fieldOf(text) {
  const words = wordsOf(text);
  return { __proto__: null, words, text: joined(words) };
}

// Texts as the program may have made them: what is none is nothing.
const isText = (value) => typeof value === 'string';
const isCount = (value, least) => isInteger(value) && value >= least;

function newEntries({ name, functions, abouts }, { shown, paths }) {
  const entries = list();
  for (let k = 0; k < functions.length; k++) {
    const path = paths[k] ?? shown[k];
    if (path === null) continue;
    const dot = indexOf(functions[k], '.');
    const about = (abouts && abouts[k]) || {};
    const entry = { __proto__: null, k, path, about, own: functions[k] };
    entry.description = about.description ?? '';
    entry.integration = paths[k] === undefined ? name : slice(functions[k], 0, dot);
    entry.name = paths[k] === undefined ? path : slice(path, engine.lastIndexOf(path, '.') + 1);
    entry.fields = { __proto__: null };
    for (let f = 0; f < FIELDS.length; f++) entry.fields[FIELDS[f]] = fieldOf(entry[FIELDS[f]]);
    entries[entries.length] = entry;
  }
  return entries;
}

const byScore = (a, b) => b.score - a.score || (a.entry.path < b.entry.path ? -1 : 1);

// told: the namespace, as boot has it. refuse(name, message): the error of a call that makes no
// sense.
export function newFinder(told, facts, refuse) {
  let kept = null;
  const entries = () => (kept ??= newEntries(told, facts));

  const found = (query, namespace) => {
    const all = entries();
    const words = wordsOf(query);
    const phrase = joined(words);
    const hits = list();
    if (words.length === 0 && (namespace === undefined || query !== '')) return hits;
    for (let i = 0; i < all.length; i++) {
      if (namespace !== undefined && all[i].integration !== namespace) continue;
      const score = words.length === 0 ? 0 : scoreOf(all[i], words, phrase);
      if (score > 0 || words.length === 0)
        hits[hits.length] = { __proto__: null, entry: all[i], score };
    }
    return sort(hits, byScore);
  };

  const wanted = (options) => {
    const no = (message) => refuse('search', message);
    if (typeof options !== 'object' || options === null) throw no(SEARCH_WANTS);
    const { query = '', namespace, limit = LIMIT, offset = 0 } = options;
    if (!isText(query)) throw no('tools.search query must be a string when provided');
    if (namespace !== undefined && !isText(namespace))
      throw no('tools.search namespace must be a string when provided');
    if (!isCount(limit, 1)) throw no('tools.search limit must be a positive integer when provided');
    if (!isCount(offset, 0))
      throw no('tools.search offset must be a non-negative integer when provided');
    return { __proto__: null, query: slice(query, 0, QUERY_MAX), namespace, limit, offset };
  };

  const search = async (options) => {
    const { query, namespace, limit, offset } = wanted(options);
    const hits = found(query, namespace);
    const items = list();
    for (let i = offset; i < hits.length && i - offset < limit; i++) {
      const { entry, score } = hits[i];
      const { path, name, description, integration } = entry;
      const item = { path, name };
      if (description !== '') item.description = description;
      item.integration = integration;
      item.score = score;
      items[items.length] = item;
    }
    const next = offset + items.length;
    const hasMore = items.length > 0 && next < hits.length;
    setPrototypeOf(items, ArrayPrototype);
    return { items, total: hits.length, hasMore, nextOffset: hasMore ? next : null };
  };

  const find = (path) => {
    const all = entries();
    const short = startsWith(path, 'tools.') ? slice(path, 6) : path;
    for (let i = 0; i < all.length; i++) {
      const { own, k } = all[i];
      if (all[i].path === short || facts.shown[k] === short || own === path) return all[i];
    }
    return null;
  };

  const missing = (path) => {
    const all = entries();
    const paths = list();
    for (let i = 0; i < all.length; i++) paths[i] = all[i].path;
    const suggestions = setPrototypeOf(nearNames(path, paths), ArrayPrototype);
    const message = `there is no tool ${engine.stringify(slice(path, 0, 100))}`;
    return { error: { code: 'tool_not_found', message, suggestions } };
  };

  const tool = async (options) => {
    const object = typeof options === 'object' && options !== null ? options : {};
    const { path } = object;
    if (!isText(path)) throw refuse('describe', DESCRIBE_WANTS);
    const entry = find(path);
    if (entry === null) return missing(path);
    const { about, name, description } = entry;
    const answer = { path: entry.path, name };
    if (description !== '') answer.description = description;
    answer.inputTypeScript = about.input ?? 'unknown';
    answer.outputTypeScript = about.output ?? 'unknown';
    if (told.failures !== 'value') return answer;
    answer.outputTypeScript =
      `{ ok: true; data: ${answer.outputTypeScript}; } | ` + '{ ok: false; error: ToolFailure; }';
    answer.typeScriptDefinitions = { ToolFailure: FAILURE };
    return answer;
  };

  const describe = (options) => tool(options);
  engine.defineProperty(describe, 'tool', { __proto__: null, value: tool });
  return { search, describe };
}
