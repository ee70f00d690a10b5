// Which way values travel in this run, both ways: strict, json or rich.

import { engine } from './intrinsics.js';
import { toText } from './values.js';
import { newRich } from './rich.js';
import { revive } from './revive.js';

const { parse } = engine;

// For each way: what a value must be, in words; toText(value), which gives a text, undefined, or
// what measure() and fill() want, where bytes are to be read first; fromText(text); and
// reviveData(tree), for a part of a text that was parsed.
export function newPayloads(values, hold) {
  if (values === 'rich') {
    const rich = newRich(hold);
    return {
      noun: 'rich value',
      toText: rich.toText,
      measure: rich.measure,
      fill: rich.fill,
      fromText: rich.fromText,
      frozen: (text) => rich.revive(parse(text), true),
      reviveData: (tree) => rich.revive(tree, false),
    };
  }
  const strict = values !== 'json';
  return {
    noun: strict ? 'lossless JSON' : 'JSON',
    toText: (value) => toText(value, strict),
    fromText: (text) => parse(text),
    frozen: (text) => revive(parse(text), null, true),
    reviveData: (tree) => tree,
  };
}
