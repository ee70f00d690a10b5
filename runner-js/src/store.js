// store() and load(): what a program keeps from one run to the next.
//
// A value is kept as the JSON text that it was, so that what the program does to it later changes
// nothing. Who keeps it in between is home: it sends what there was, and gets what was written.

import { engine, list, reserve } from './intrinsics.js';
import { toText } from './values.js';

const { stringify, parse, objectKeys, mapGet, mapSet, mapDelete, slice, min, sort } = engine;
const { Map, TypeError, RangeError } = engine;
// In UTF-16 units, of one value's JSON and of all keys and values.
const VALUE_MOST = 262144;
const ALL_MOST = 1048576;
// What a unit takes in the message at the end, at most (a key to be deleted), and the rest of it.
const UNIT_BYTES = 9;
const REST_BYTES = 64;

const named = (key) => `store(${stringify(slice(key, 0, 64))})`;

export function newStore(boot) {
  const strict = boot.values !== 'json';
  const most = min(ALL_MOST, (boot.limits.frame_bytes - REST_BYTES) / UNIT_BYTES);
  const writes = new Map(); // KEY → JSON text, or null: to be deleted.
  const written = list(); // Its keys.
  let texts = null; // KEY → JSON text.
  let all = 0;
  let wrote = 0;

  const open = () => {
    reserve(true);
    texts = new Map();
    if (boot.store === undefined) return;
    const given = parse(boot.store);
    const keys = objectKeys(given);
    for (let i = 0; i < keys.length; i++) {
      const text = toText(given[keys[i]], false);
      mapSet(texts, keys[i], text);
      all += keys[i].length + text.length;
    }
  };

  // Two levels deeper than it is, as it will travel.
  const textOf = (key, value) => {
    let text;
    try {
      text = toText({ __proto__: null, a: { __proto__: null, a: value } }, strict);
    } catch (error) {
      if (error instanceof RangeError) throw error;
      throw new TypeError(`${named(key)} takes what is JSON: $${slice(error.message, 5)}`);
    }
    if (text === '{"a":{}}') throw new TypeError(`${named(key)} takes what is JSON`);
    return slice(text, 10, -2);
  };

  const cost = (key, text) => {
    if (text === undefined) return 0;
    return key.length + (text === null ? 0 : text.length);
  };

  const check = (key, text, sum, sumWritten) => {
    if (text !== null && text.length > VALUE_MOST) {
      throw new RangeError(
        `${named(key)} value has ${text.length} characters of JSON, over the limit of ` +
          `${VALUE_MOST}; a picture is for image(), a file for file()`,
      );
    }
    const over = text === null ? sumWritten : sum > sumWritten ? sum : sumWritten;
    if (over > most) {
      throw new RangeError(
        `${named(key)} makes ${over} characters of keys and JSON in all, over the limit of ` +
          `${most}`,
      );
    }
  };

  return {
    __proto__: null,

    store(key, value) {
      if (typeof key !== 'string') throw new TypeError('store() key must be a string');
      if (texts === null) open();
      const text = value === undefined ? null : textOf(key, value);
      const before = mapGet(writes, key);
      const sum = all - cost(key, mapGet(texts, key)) + (text === null ? 0 : cost(key, text));
      const sumWritten = wrote - cost(key, before) + cost(key, text);
      check(key, text, sum, sumWritten);
      reserve();
      all = sum;
      wrote = sumWritten;
      if (before === undefined) written[written.length] = key;
      mapSet(writes, key, text);
      if (text === null) mapDelete(texts, key);
      else mapSet(texts, key, text);
    },

    load(key) {
      if (typeof key !== 'string') throw new TypeError('load() key must be a string');
      if (texts === null) open();
      const text = mapGet(texts, key);
      return text === undefined ? undefined : parse(text);
    },

    // The message at the end, or undefined. Home wants the keys to rise, and so sees that none
    // comes twice.
    writes() {
      if (written.length === 0) return undefined;
      sort(written);
      let set = '';
      let gone = '';
      for (let i = 0; i < written.length; i++) {
        const text = mapGet(writes, written[i]);
        const key = stringify(written[i]);
        if (text === null) gone += (gone === '' ? '' : ',') + key;
        else set += `${set === '' ? '' : ','}${key}:${text}`;
      }
      return `{"set":{${set}},"delete":[${gone}]}`;
    },
  };
}
