// Static imports of a text, as dynamic ones, and what they ask for. Knows one declaration at a
// time, and not where one may stand.

const NAME = String.raw`[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*`;
const STRING = String.raw`'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"`;
const ATTRIBUTES = String.raw`\{\s*(?:(?:${NAME}|${STRING})\s*:\s*(?:${STRING})\s*(?:,\s*)?)*\}`;
const DECLARATION = new RegExp(
  String.raw`^import(?:(?:\s+(?<own>${NAME})(?=[\s,]))?(?<comma>\s*,)?\s*` +
    String.raw`(?:(?:\*\s*as\s+(?<all>${NAME})(?=\s)|\{(?<some>[^}]*)\})\s*)?from)?` +
    String.raw`\s*(?<from>${STRING})(?:\s*(?:with|assert)\s*(?<how>${ATTRIBUTES}))?[ \t]*;?`,
  'du',
);
const IS_NAME = new RegExp(`^${NAME}$`, 'u');
const IS_STRING = new RegExp(`^(?:${STRING})$`);
const COMMENT = /\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*/g;
// What no code is in.
export const SKIPPED = String.raw`${STRING}|\\.|${COMMENT.source}`;
const WORDS = new RegExp(String.raw`${SKIPPED}|\.\.\.|\.\s*${NAME}|(${NAME})`, 'gu');
const CLOSED = /^\/\*[^]*\*\/$|^\/\//;

// One entry between the braces, which stands at that offset: { code, name, local, at }, where the
// first is what it is in a pattern; empty: it is a type. null: it is none.
function entryOf(text, from) {
  const words = text.trim().split(/\s+/);
  if (words[0] === 'type' && (words.length === 2 || words.length === 4)) return { code: '' };
  const [name, as, local] = words;
  const at = from + text.indexOf(name);
  if (words.length === 1) return IS_NAME.test(name) ? { code: name, name, local: name, at } : null;
  const quoted = IS_STRING.test(name);
  const sound = words.length === 3 && as === 'as' && IS_NAME.test(local);
  if (!sound || !(quoted || IS_NAME.test(name))) return null;
  return { code: `${name}: ${local}`, name: quoted ? name.slice(1, -1) : name, local, at };
}

// The entries of what stands between the braces, from that offset on, or null.
function entriesOf(text, from) {
  const blanked = (comment) => (CLOSED.test(comment) ? ' '.repeat(comment.length) : comment);
  const parts = text.replace(COMMENT, blanked).split(',');
  if (parts[parts.length - 1].trim() === '') parts.pop();
  let at = from;
  const entries = parts.map((part) => {
    const entry = entryOf(part, at);
    at += part.length + 1;
    return entry;
  });
  return entries.includes(null) ? null : entries.filter(({ code }) => code !== '');
}

// The declaration that text begins with: { length, code, specifier, at, wants }, where code does
// the same in the body of an async function, at is where the specifier stands, and wants are the
// names that the module must have, as { name, local, at }; or null. begin: the offset of text.
export function importAt(text, begin = 0) {
  const found = DECLARATION.exec(text);
  if (found === null) return null;
  const { own, comma, all, some, from, how } = found.groups;
  const where = (group) => begin + (found.indices.groups[group]?.[0] ?? 0);
  const entries = entriesOf(some ?? '', where('some'));
  const more = all ?? some;
  const given = own ?? more;
  const parted = (own !== undefined && more !== undefined) === (comma !== undefined);
  const bare = text.slice('import'.length).trimStart().startsWith(from);
  if (entries === null || !parted || bare === (given !== undefined)) return null;
  // Engines have called it by either name.
  const options = how === undefined ? '' : `, { with: ${how}, assert: ${how} }`;
  const loaded = `await import(${from}${options})`;
  if (own !== undefined)
    entries.unshift({ code: `default: ${own}`, name: 'default', local: own, at: where('own') });
  let code = `${loaded};`;
  if (all !== undefined) {
    const rest = own === undefined ? '' : `, { default: ${own} } = ${all}`;
    code = `const ${all} = ${loaded}${rest};`;
  } else if (given !== undefined) {
    code = `const { ${entries.map((entry) => entry.code).join(', ')} } = ${loaded};`;
  }
  const wants = entries.filter(({ name }) => !name.includes('\\'));
  const specifier = from.slice(1, -1);
  return { length: found[0].length, code, specifier, at: where('from'), wants };
}

// The names that a text may be using, outside of its comments and strings: one that is not among
// them may have been imported for its type.
export function namesIn(text) {
  const names = new Set();
  for (const [, name] of text.matchAll(WORDS)) names.add(name);
  return names;
}
