// envd's service of the file system: one method each, errors with its codes and words.

import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, statSync }
  from 'node:fs';
import { dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';

import { ConnectError } from './connect.js';
import { entryOf } from './entry.js';
import { keepAlive } from './process.js';
import { can } from './version.js';
import { Watcher } from './watch.js';

const CARRIES_ENTRY = ['EVENT_TYPE_CREATE', 'EVENT_TYPE_WRITE', 'EVENT_TYPE_CHMOD'];

function fail(code, message) {
  throw new ConnectError(code, message);
}

// Directories up to this one; throws with envd's words where a file is in the way.
export function ensureDirectory(path) {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    if (error.code === 'ENOTDIR' || error.code === 'EEXIST') {
      throw new Error(`path is a file: ${error.path ?? path}`, { cause: error });
    }
    throw error;
  }
}

function statOf(path) {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    return fail('internal', `error getting file info: ${error.message}`);
  }
}

function realPath(path) {
  try {
    return realpathSync(path);
  } catch (error) {
    if (error.code === 'ELOOP') {
      fail('failed_precondition', `cyclic symlink or chain >255 links at "${path}"`);
    }
    if (error.code !== 'ENOENT') fail('internal', `error resolving symlink: ${error.message}`);
    return fail('not_found', `path not found: lstat ${path}: no such file or directory`);
  }
}

export class FilesystemService {
  #host;
  #watchers = new Map();

  // host: { version, homes, workdir, metadata, crash() } of the envd.
  constructor(host) {
    this.#host = host;
  }

  get methods() {
    const table = { Stat: this.#stat, MakeDir: this.#makeDir, Move: this.#move,
      ListDir: this.#listDir, Remove: this.#remove, WatchDir: this.#watchDir,
      CreateWatcher: this.#createWatcher, GetWatcherEvents: this.#getWatcherEvents,
      RemoveWatcher: this.#removeWatcher };
    return Object.fromEntries(Object.entries(table)
      .map(([name, method]) => [`filesystem.Filesystem/${name}`, method.bind(this)]));
  }

  close() {
    for (const { watcher } of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #resolve(path, user) {
    try {
      return this.#host.homes.resolve(path ?? '', user, this.#host.workdir);
    } catch (error) {
      return fail('invalid_argument', error.message);
    }
  }

  #entry(path) {
    return entryOf(path, this.#host.metadata.of(path));
  }

  async #stat({ path }, { user }) {
    return { entry: this.#entry(this.#resolve(path, user)) };
  }

  async #makeDir({ path }, { user }) {
    const place = this.#resolve(path, user);
    const stat = statOf(place);
    if (stat?.isDirectory()) fail('already_exists', `directory already exists: ${place}`);
    if (stat !== null) {
      fail('invalid_argument', `path already exists but it is not a directory: ${place}`);
    }
    this.#ensure(place);
    return { entry: this.#entry(place) };
  }

  #ensure(directory) {
    try {
      ensureDirectory(directory);
    } catch (error) {
      fail('internal', error.message);
    }
  }

  async #move({ source, destination }, { user }) {
    const from = this.#resolve(source, user);
    const to = this.#resolve(destination, user);
    this.#ensure(dirname(to));
    try {
      renameSync(from, to);
    } catch (error) {
      if (error.code === 'ENOENT') {
        fail('not_found', `source file not found: rename ${from} ${to}: ` +
          'no such file or directory');
      }
      fail('internal', `error renaming: ${error.message}`);
    }
    this.#host.metadata.move(from, to);
    return { entry: this.#entry(to) };
  }

  // Depth first and by name; links are listed and not followed.
  #walk(requested, real, depth) {
    const entries = [];
    const open = [{ at: '', level: 1 }];
    while (open.length > 0) {
      const { at, level, entry } = open.pop();
      if (entry !== undefined) entries.push({ ...entry, path: join(requested, at) });
      const isOpened = entry === undefined ||
        (entry.permissions.startsWith('d') && level <= depth);
      if (!isOpened) continue;
      for (const name of readdirSync(join(real, at)).sort().reverse()) {
        const below = join(at, name);
        try {
          open.push({ at: below, level: level + 1, entry: this.#entry(join(real, below)) });
        } catch (error) {
          if (error.code !== 'not_found') throw error;
        }
      }
    }
    return entries;
  }

  async #listDir({ path, depth }, { user }) {
    const requested = this.#resolve(path, user);
    const real = realPath(requested);
    if (!statOf(real)?.isDirectory()) {
      fail('invalid_argument', `path is not a directory: ${real}`);
    }
    try {
      return { entries: this.#walk(requested, real, depth || 1) };
    } catch (error) {
      return fail('internal', `error reading directory ${real}: ${error.message}`);
    }
  }

  async #remove({ path }, { user }) {
    const place = this.#resolve(path, user);
    if (this.#host.homes.all.includes(place) || place === '/') {
      fail('internal', `error removing file or directory: unlinkat ${place}: ` +
        'device or resource busy');
    }
    try {
      rmSync(place, { recursive: true, force: true });
    } catch (error) {
      fail('internal', `error removing file or directory: ${error.message}`);
    }
    this.#host.metadata.forget(place);
    return {};
  }

  #watchable({ path }, user) {
    const place = this.#resolve(path, user);
    if (!existsSync(place)) {
      fail('not_found', `path ${place} not found: stat ${place}: no such file or directory`);
    }
    if (!statOf(place).isDirectory()) fail('invalid_argument', `path ${place} not a directory`);
    return place;
  }

  #watch(request, user, tell) {
    const place = this.#watchable(request, user);
    const wantsEntry = request.includeEntry && can(this.#host.version, 'watchEntry');
    const isRecursive = request.recursive && can(this.#host.version, 'recursiveWatch');
    return new Watcher(place, isRecursive, (type, name, path) => {
      const event = { name, type };
      if (wantsEntry && CARRIES_ENTRY.includes(type)) {
        try {
          event.entry = this.#entry(path);
        } catch {
          // Gone meanwhile: the event is told without.
        }
      }
      tell(event);
    });
  }

  #watchDir(request, call, stream) {
    let pulse = null;
    const watcher = this.#watch(request, call.user, (event) => {
      stream.send({ filesystem: event });
      pulse.reset();
    });
    stream.open();
    stream.send({ start: {} });
    pulse = keepAlive(call.headers, this.#host.crash, () => stream.send({ keepalive: {} }));
    return new Promise((resolve) => {
      stream.onClose(() => {
        watcher.close();
        pulse.stop();
        resolve();
      });
    });
  }

  async #createWatcher(request, { user }) {
    const watcherId = `w${randomUUID().replaceAll('-', '').slice(0, 20)}`;
    const kept = { events: [] };
    kept.watcher = this.#watch(request, user, (event) => kept.events.push(event));
    this.#watchers.set(watcherId, kept);
    return { watcherId };
  }

  #findWatcher({ watcherId = '' }) {
    return this.#watchers.get(watcherId) ??
      fail('not_found', `watcher with id ${watcherId} not found`);
  }

  async #getWatcherEvents(request) {
    const kept = this.#findWatcher(request);
    const { events } = kept;
    kept.events = [];
    return { events };
  }

  async #removeWatcher(request) {
    this.#findWatcher(request).watcher.close();
    this.#watchers.delete(request.watcherId);
    return {};
  }
}
