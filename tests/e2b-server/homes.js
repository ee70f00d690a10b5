// Who may be named in a sandbox, and where paths lead. Every user is the one who runs the server;
// the home directories are folders of the sandbox, and all other paths are this machine's own.

import { join, resolve } from 'node:path';

const HOME_OF_USER = '/home/user';

export class Homes {
  #directories;

  constructor(directory) {
    this.#directories = { user: join(directory, 'home', 'user'), root: join(directory, 'root') };
  }

  get all() {
    return Object.values(this.#directories);
  }

  has(user) {
    return Object.hasOwn(this.#directories, user);
  }

  of(user) {
    return this.#directories[user];
  }

  // An absolute path from `~`, one relative to the home, or the usual home of a sandbox, which
  // leads to the folder that stands for it. Throws where it cannot be told.
  resolve(path, user, workdir) {
    const home = this.of(user);
    const wanted = path === '' ? workdir ?? '' : path;
    if (/^~[^/\\]/.test(wanted)) {
      throw new Error(`failed to expand path '${wanted}' for user '${user}': ` +
        'cannot expand user-specific home dir');
    }
    if (wanted.startsWith('~')) return join(home, wanted.slice(1));
    if (wanted === HOME_OF_USER) return this.#directories.user;
    if (wanted.startsWith(`${HOME_OF_USER}/`)) {
      return join(this.#directories.user, wanted.slice(HOME_OF_USER.length));
    }
    return resolve(home, wanted);
  }
}
