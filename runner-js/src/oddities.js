// Characters that look like JavaScript and are none: quotes that a text processor made round,
// full-width forms, dashes, blanks without a width. Knows their names, and what was meant.

// Code point, what to write instead (empty: nothing), name.
const ODD = `
ab " LEFT-POINTING DOUBLE ANGLE QUOTATION MARK
ad  SOFT HYPHEN
b4 ' ACUTE ACCENT
bb " RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK
d7 * MULTIPLICATION SIGN
f7 / DIVISION SIGN
200b  ZERO WIDTH SPACE
200c  ZERO WIDTH NON-JOINER
200d  ZERO WIDTH JOINER
200e  LEFT-TO-RIGHT MARK
200f  RIGHT-TO-LEFT MARK
2010 - HYPHEN
2011 - NON-BREAKING HYPHEN
2013 - EN DASH
2014 - EM DASH
2018 ' LEFT SINGLE QUOTATION MARK
2019 ' RIGHT SINGLE QUOTATION MARK
201a ' SINGLE LOW-9 QUOTATION MARK
201b ' SINGLE HIGH-REVERSED-9 QUOTATION MARK
201c " LEFT DOUBLE QUOTATION MARK
201d " RIGHT DOUBLE QUOTATION MARK
201e " DOUBLE LOW-9 QUOTATION MARK
201f " DOUBLE HIGH-REVERSED-9 QUOTATION MARK
2026 ... HORIZONTAL ELLIPSIS
202a  LEFT-TO-RIGHT EMBEDDING
202b  RIGHT-TO-LEFT EMBEDDING
202c  POP DIRECTIONAL FORMATTING
202d  LEFT-TO-RIGHT OVERRIDE
202e  RIGHT-TO-LEFT OVERRIDE
2032 ' PRIME
2033 " DOUBLE PRIME
2039 ' SINGLE LEFT-POINTING ANGLE QUOTATION MARK
203a ' SINGLE RIGHT-POINTING ANGLE QUOTATION MARK
2060  WORD JOINER
2066  LEFT-TO-RIGHT ISOLATE
2067  RIGHT-TO-LEFT ISOLATE
2068  FIRST STRONG ISOLATE
2069  POP DIRECTIONAL ISOLATE
2190 <- LEFTWARDS ARROW
2192 => RIGHTWARDS ARROW
21d2 => RIGHTWARDS DOUBLE ARROW
2212 - MINUS SIGN
2260 !== NOT EQUAL TO
2264 <= LESS-THAN OR EQUAL TO
2265 >= GREATER-THAN OR EQUAL TO
3001 , IDEOGRAPHIC COMMA
3002 . IDEOGRAPHIC FULL STOP
300c " LEFT CORNER BRACKET
300d " RIGHT CORNER BRACKET
fffd  REPLACEMENT CHARACTER`;
// From U+0021 on; letters have no name here.
const ASCII =
  'EXCLAMATION MARK|QUOTATION MARK|NUMBER SIGN|DOLLAR SIGN|PERCENT SIGN|AMPERSAND|APOSTROPHE|' +
  'LEFT PARENTHESIS|RIGHT PARENTHESIS|ASTERISK|PLUS SIGN|COMMA|HYPHEN-MINUS|FULL STOP|SOLIDUS|' +
  'DIGIT ZERO|DIGIT ONE|DIGIT TWO|DIGIT THREE|DIGIT FOUR|DIGIT FIVE|DIGIT SIX|DIGIT SEVEN|' +
  'DIGIT EIGHT|DIGIT NINE|COLON|SEMICOLON|LESS-THAN SIGN|EQUALS SIGN|GREATER-THAN SIGN|' +
  `QUESTION MARK|COMMERCIAL AT${'|'.repeat(27)}LEFT SQUARE BRACKET|REVERSE SOLIDUS|` +
  `RIGHT SQUARE BRACKET|CIRCUMFLEX ACCENT|LOW LINE|GRAVE ACCENT${'|'.repeat(27)}` +
  'LEFT CURLY BRACKET|VERTICAL LINE|RIGHT CURLY BRACKET|TILDE';
const WIDE = 0xff01;

const WIDTHLESS = /[\u00ad\u200b-\u200f\u2060]/;
const NAME_PART = /[\p{ID_Continue}$]/u;

// How far behind that place one may be, that is, no further than anybody would look for it.
const BEHIND_MOST = 4096;

// What a reader of code skips from the place at which it stumbled, to what it stumbled over.
const TOKENS = /^(?:[\p{ID_Continue}$\s.]|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')*/u;

// { instead, name } of a character, or null where there is nothing odd about it.
function oddity(char) {
  const code = char.codePointAt(0);
  const hex = code.toString(16);
  const at = ODD.indexOf(`\n${hex} `);
  if (at >= 0) {
    const [instead, ...name] = ODD.slice(at + hex.length + 2)
      .split('\n')[0]
      .split(' ');
    return { instead, name: name.join(' ') };
  }
  const name = ASCII.split('|')[code - WIDE];
  if (name === undefined || name === '') return null;
  return { instead: String.fromCharCode(code - WIDE + 33), name: `FULLWIDTH ${name}` };
}

// What is to be said of the character over which a parser stumbled at that place of a text, or a
// little behind it: { place, message }; or null.
export function oddityAt(text, place) {
  const line = text.split('\n')[place.line - 1];
  const from = place.column - 1;
  for (const at of [from, from + TOKENS.exec(line.slice(from, from + BEHIND_MOST))[0].length]) {
    const char = line.slice(at, at + 2);
    const odd = char === '' ? null : oddity(char);
    if (odd === null) continue;
    const hex = char.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
    const where = { line: place.line, column: at + 1 };
    const what = `U+${hex} ${odd.name} at ${where.line}:${where.column} is no JavaScript`;
    const advice = odd.instead === '' ? 'take it away' : `write ${odd.instead} instead`;
    return { place: where, message: `${what}: ${advice}` };
  }
  return null;
}

// Whether the character at that offset has no width and no meaning either: it parts nothing that
// belongs together.
export function isIdle(text, at) {
  if (!WIDTHLESS.test(text.charAt(at))) return false;
  let before = at;
  let behind = at + 1;
  while (before > 0 && WIDTHLESS.test(text[before - 1])) before--;
  while (behind < text.length && WIDTHLESS.test(text[behind])) behind++;
  const sides = [text.slice(0, before).slice(-1), text.charAt(behind)];
  if (sides.some((side) => side === '' || /\s/.test(side))) return true;
  return NAME_PART.test(sides[0]) !== NAME_PART.test(sides[1]);
}
