// Static imports of a text, as dynamic ones. Knows one declaration at a time, and not where one may
// stand.

const NAME = String.raw`[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*`;
const STRING = String.raw`'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"`;
const ATTRIBUTES = String.raw`\{\s*(?:(?:${NAME}|${STRING})\s*:\s*(?:${STRING})\s*(?:,\s*)?)*\}`;
const DECLARATION = new RegExp(
  String.raw`^import(?:(?:\s+(?<own>${NAME})(?=[\s,]))?(?<comma>\s*,)?\s*` +
    String.raw`(?:(?:\*\s*as\s+(?<all>${NAME})(?=\s)|\{(?<some>[^}]*)\})\s*)?from)?` +
    String.raw`\s*(?<from>${STRING})(?:\s*(?:with|assert)\s*(?<how>${ATTRIBUTES}))?[ \t]*;?`,
  'u',
);
const IS_NAME = new RegExp(`^${NAME}$`, 'u');
const IS_STRING = new RegExp(`^(?:${STRING})$`);
const COMMENT = /\/\*[^]*?\*\/|\/\/[^\n]*/g;

// One entry between the braces, as one of a pattern; empty: it is a type. null: it is none.
function entryOf(text) {
  const words = text.trim().split(/\s+/);
  if (words[0] === 'type' && (words.length === 2 || words.length === 4)) return '';
  const [name, as, local] = words;
  if (words.length === 1) return IS_NAME.test(name) ? name : null;
  const sound = words.length === 3 && as === 'as' && IS_NAME.test(local);
  return sound && (IS_NAME.test(name) || IS_STRING.test(name)) ? `${name}: ${local}` : null;
}

// The entries of a pattern, or null.
function entriesOf(text) {
  const parts = text.replace(COMMENT, ' ').split(',');
  if (parts[parts.length - 1].trim() === '') parts.pop();
  const entries = parts.map(entryOf);
  return entries.includes(null) ? null : entries.filter((entry) => entry !== '');
}

// The declaration that text begins with: { length, code }, where code does the same in the body of
// an async function; or null.
export function importAt(text) {
  const found = DECLARATION.exec(text);
  if (found === null) return null;
  const { own, comma, all, some, from, how } = found.groups;
  const entries = entriesOf(some ?? '');
  const more = all ?? some;
  const given = own ?? more;
  const parted = (own !== undefined && more !== undefined) === (comma !== undefined);
  const bare = text.slice('import'.length).trimStart().startsWith(from);
  if (entries === null || !parted || bare === (given !== undefined)) return null;
  // Engines have called it by either name.
  const options = how === undefined ? '' : `, { with: ${how}, assert: ${how} }`;
  const loaded = `await import(${from}${options})`;
  if (own !== undefined) entries.unshift(`default: ${own}`);
  let code = `${loaded};`;
  if (all !== undefined) {
    const rest = own === undefined ? '' : `, { default: ${own} } = ${all}`;
    code = `const ${all} = ${loaded}${rest};`;
  } else if (given !== undefined) {
    code = `const { ${entries.join(', ')} } = ${loaded};`;
  }
  return { length: found[0].length, code };
}
