// What happens in a directory, as envd words it: CREATE, WRITE, REMOVE, RENAME, CHMOD. The kernel
// tells node only "something came or went" and "something changed"; what it was is found by
// comparing with what was known. A file that moves out of sight counts as removed.

import { lstatSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

const SETTLE_MS = 5; // Both halves of a rename are looked at together.

function lookAt(path) {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  const { ino, mode, mtimeMs, ctimeMs, size } = stat;
  return { ino, mode, mtimeMs, ctimeMs, size, isDirectory: stat.isDirectory() };
}

export class Watcher {
  #root;
  #isRecursive;
  #onEvent;
  #watched = new Map(); // Directory -> its watcher, and what it holds by name.
  #pending = new Map(); // Path -> whether its contents were said to have changed.
  #timer = null;

  // onEvent(type, name, path): name is relative to root.
  constructor(root, isRecursive, onEvent) {
    this.#root = root;
    this.#isRecursive = isRecursive;
    this.#onEvent = onEvent;
    this.#add('');
  }

  #add(directory) {
    const path = join(this.#root, directory);
    const watcher = watch(path, (kind, name) => {
      if (name !== null) this.#note(directory, name, kind);
    });
    watcher.on('error', () => this.#forget(directory));
    const known = new Map();
    this.#watched.set(directory, { watcher, known });
    for (const name of readdirSync(path)) {
      const seen = lookAt(join(path, name));
      known.set(name, seen);
      if (seen?.isDirectory && this.#isRecursive) this.#add(join(directory, name));
    }
  }

  #forget(directory) {
    this.#watched.get(directory)?.watcher.close();
    this.#watched.delete(directory);
  }

  #note(directory, name, kind) {
    const key = JSON.stringify([directory, name]);
    const before = this.#pending.get(key) ?? { directory, name, isChange: false };
    this.#pending.set(key, { ...before, isChange: before.isChange || kind === 'change' });
    this.#timer ??= setTimeout(() => this.#settle(), SETTLE_MS);
  }

  #settle() {
    this.#timer = null;
    const notes = [...this.#pending.values()];
    this.#pending.clear();
    const seen = notes.map((note) => {
      const known = this.#watched.get(note.directory)?.known;
      return { ...note, known, was: known?.get(note.name) ?? null,
        is: lookAt(join(this.#root, note.directory, note.name)) };
    }).filter(({ known }) => known !== undefined);
    const arrived = new Set(seen.filter(({ was, is }) => is !== null && was?.ino !== is.ino)
      .map(({ is }) => is.ino));
    for (const one of seen) this.#tell(one, arrived);
  }

  #tell({ directory, name, known, was, is, isChange }, arrived) {
    const path = join(directory, name);
    const say = (type) => this.#onEvent(`EVENT_TYPE_${type}`, path, join(this.#root, path));
    if (is === null) {
      known.delete(name);
      this.#forget(path);
      if (was === null) {
        say('CREATE'); // It came and went between two looks.
        say('REMOVE');
      } else {
        say(arrived.has(was.ino) ? 'RENAME' : 'REMOVE');
      }
      return;
    }
    known.set(name, is);
    if (was === null || was.ino !== is.ino) say('CREATE');
    if (is.isDirectory && this.#isRecursive && !this.#watched.has(path)) this.#adopt(path);
    if (!isChange || is.isDirectory) return;
    const isSame = was !== null && was.ino === is.ino && was.mtimeMs === is.mtimeMs &&
      was.size === is.size;
    if (isSame && was.ctimeMs !== is.ctimeMs) say('CHMOD');
    else say('WRITE');
  }

  // What a new directory held before it was watched is told as if it came now.
  #adopt(directory) {
    try {
      this.#add(directory);
    } catch {
      return; // Gone again.
    }
    const open = [directory];
    while (open.length > 0) {
      const inside = open.shift();
      for (const name of this.#watched.get(inside)?.known.keys() ?? []) {
        const path = join(inside, name);
        this.#onEvent('EVENT_TYPE_CREATE', path, join(this.#root, path));
        open.push(path);
      }
    }
  }

  close() {
    clearTimeout(this.#timer);
    for (const { watcher } of this.#watched.values()) watcher.close();
    this.#watched.clear();
  }
}
