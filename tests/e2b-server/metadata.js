// The words that came along with uploaded files. envd keeps them beside the file in the file
// system, which node cannot; here they are kept by path, and follow what envd itself moves.

const PREFIX = 'x-metadata-';

export function metadataOf(headers) {
  const words = {};
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(PREFIX) && name.length > PREFIX.length) {
      words[name.slice(PREFIX.length)] = value;
    }
  }
  return words;
}

export class Metadata {
  #words = new Map();

  of(path) {
    return this.#words.get(path);
  }

  set(path, words) {
    if (Object.keys(words).length === 0) this.#words.delete(path);
    else this.#words.set(path, words);
  }

  // A directory takes along what is in it.
  move(from, to) {
    for (const [path, words] of [...this.#words]) {
      if (path !== from && !path.startsWith(`${from}/`)) continue;
      this.#words.delete(path);
      this.#words.set(to + path.slice(from.length), words);
    }
  }

  forget(path) {
    for (const other of [...this.#words.keys()]) {
      if (other === path || other.startsWith(`${path}/`)) this.#words.delete(other);
    }
  }
}
