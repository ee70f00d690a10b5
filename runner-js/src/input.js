// The global `input`: what the caller gave, frozen all the way down; undefined where it gave
// nothing.

import { engine } from './intrinsics.js';

const { defineProperty } = engine;

// A text that is read at once costs less than a millisecond.
const SMALL = 32 << 10;

// text: JSON, or undefined. A long one is read when the program first asks for it, and one that is
// no value then throws.
export function giveInput(text, payloads) {
  const show = (value) => {
    defineProperty(globalThis, 'input', { __proto__: null, value, configurable: false });
    return value;
  };
  const read = () => {
    try {
      return payloads.frozen(text);
    } catch (error) {
      throw new engine.TypeError(`the input is no ${payloads.noun}: ${error.message}`);
    }
  };
  if (text === undefined) return show(undefined);
  if (text.length <= SMALL) {
    try {
      return show(read());
    } catch {
      // Whoever asks for it is told.
    }
  }
  const get = () => show(read());
  return defineProperty(globalThis, 'input', { __proto__: null, get, configurable: true });
}
