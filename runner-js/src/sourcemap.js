// Source maps, version 3, of one source: from places in what was made to places in what it was
// made from. Lines and columns count from 0.

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

// Lines of segments [column, source line, source column].
function decode(mappings) {
  const lines = [];
  let sourceLine = 0;
  let sourceColumn = 0;
  for (const text of mappings.split(';')) {
    const segments = [];
    let column = 0;
    for (const word of text.split(',')) {
      const numbers = readNumbers(word);
      if (numbers.length === 0) continue;
      column += numbers[0];
      if (numbers.length < 4) continue;
      sourceLine += numbers[2];
      sourceColumn += numbers[3];
      segments.push([column, sourceLine, sourceColumn]);
    }
    lines.push(segments);
  }
  return lines;
}

// Base 64 digits, five bits each, least significant first; the lowest bit of a number is its sign.
function readNumbers(word) {
  const numbers = [];
  let value = 0;
  let shift = 0;
  for (const digit of word) {
    const bits = DIGITS.indexOf(digit);
    value += (bits & 31) << shift;
    shift += 5;
    if ((bits & 32) !== 0) continue;
    numbers.push((value & 1) !== 0 ? -(value >> 1) : value >> 1);
    value = 0;
    shift = 0;
  }
  return numbers;
}

// Returns find(line, column): the nearest known place at or before it.
export function newPlaces(map) {
  const lines = decode(map.mappings);
  return (line, column) => {
    for (let at = Math.min(line, lines.length - 1); at >= 0; at--) {
      let best = null;
      for (const segment of lines[at]) {
        if (at === line && segment[0] > column) break;
        best = segment;
      }
      if (best !== null) return { line: best[1], column: best[2] };
    }
    return { line: 0, column: 0 };
  };
}
