// What counts against output_bytes: the same sums as at home (docs/protocol.md, section 5).

import { engine } from './intrinsics.js';

const { codeUnit, slice } = engine;

export const OPENING_BYTES = 2;

export function overText(outputBytes) {
  return `outer output exceeded ${outputBytes} bytes`;
}

// Bytes of the code point at text[at] inside a JSON string; negative where it takes two units.
function costAt(text, at) {
  const unit = codeUnit(text, at);
  if (unit < 0x80) {
    if (unit === 0x22 || unit === 0x5c) return 2;
    if (unit >= 0x20) return 1;
    return unit === 8 || unit === 9 || unit === 10 || unit === 12 || unit === 13 ? 2 : 6;
  }
  if (unit < 0x800) return 2;
  if (unit < 0xd800 || unit > 0xdfff) return 3;
  if (unit > 0xdbff || at + 1 === text.length) return 6;
  const next = codeUnit(text, at + 1);
  return next >= 0xdc00 && next <= 0xdfff ? -4 : 6;
}

// The shortest prefix of whole code points whose JSON string is over room bytes; the whole text
// where there is none.
export function overflowing(text, room) {
  let bytes = 2;
  let at = 0;
  while (at < text.length && bytes <= room) {
    const cost = costAt(text, at);
    bytes += cost < 0 ? -cost : cost;
    at += cost < 0 ? 2 : 1;
  }
  return slice(text, 0, at);
}
