// Assets that home sent once, kept under the digest of their bytes in a folder of ours.
//
// An earlier hostile run of the same user may have been there: only bytes of the right digest
// are taken, every time, and only from a file of a size that can be.

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { createHash } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';

const OTHERS_MAY_WRITE = 0o022;
const KEPT_BYTES_MOST = 64 << 20; // No asset is that large.

function digestOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

function make(folder) {
  try {
    mkdirSync(folder, 0o700);
  } catch {
    // It may be there, or not to be made: the caller looks.
  }
}

function isOurs(folder) {
  // Not with { recursive: true }: that never returns where a file system has its own mind, as
  // /proc has.
  make(dirname(folder));
  make(folder);
  try {
    const stat = lstatSync(folder);
    return (
      stat.isDirectory() && stat.uid === process.getuid() && (stat.mode & OTHERS_MAY_WRITE) === 0
    );
  } catch {
    return false;
  }
}

// The bytes of a regular file; of anything else, none. Does not wait for who might write to it.
function readKept(path) {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    return stat.isFile() && stat.size <= KEPT_BYTES_MOST ? readFileSync(fd) : Buffer.alloc(0);
  } finally {
    closeSync(fd);
  }
}

// first: the folder that the launch line named.
export function newCache(first) {
  const folders = [first, `${process.env.TMPDIR || '/tmp'}/errand-${process.getuid()}`].filter(
    Boolean,
  );
  return {
    // The bytes of that digest, or null.
    get(digest) {
      for (const folder of folders) {
        if (!isOurs(folder)) continue;
        try {
          const bytes = readKept(`${folder}/${digest}`);
          if (digestOf(bytes) === digest) return bytes;
        } catch {
          // Not there, or not to be read: home will send it.
        }
      }
      return null;
    },
    put(digest, bytes) {
      const folder = folders.find(isOurs);
      if (folder === undefined) return;
      const beside = `${folder}/${digest}.${process.pid}`;
      try {
        const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
        const fd = openSync(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
        writeFileSync(fd, bytes);
        closeSync(fd);
        renameSync(beside, `${folder}/${digest}`);
      } catch {
        // A folder that cannot be written to only costs time.
      }
    },
  };
}

// The bytes of an asset frame's payload, or null where home has none.
function unpack(payload) {
  const packed = JSON.parse(payload);
  return packed === null ? null : inflateRawSync(Buffer.from(packed, 'base64'));
}

// Assets from the cache or from home. offered: name → digest of what home can send. say(header): a
// frame to home. give(name, bytes): to the worker; null where there is none.
export function newAssets(offered, cache, say, give) {
  const asked = new Map(); // name → its bytes; null: home has none; undefined: it is on its way.
  const wanted = new Set(); // What the worker waits for.

  const ask = (name) => {
    if (asked.has(name) || !Object.hasOwn(offered, name)) return;
    asked.set(name, undefined);
    say(`need ${name}`);
  };

  return {
    // Before the worker does.
    ask,
    need(name) {
      const kept = Object.hasOwn(offered, name) ? cache.get(offered[name]) : undefined;
      if (kept === null) ask(name);
      if (!asked.has(name)) give(name, kept ?? null);
      else if (asked.get(name) === undefined) wanted.add(name);
      else give(name, asked.get(name));
    },
    arrive(name, payload) {
      const bytes = unpack(payload.toString('latin1'));
      if (bytes !== null && digestOf(bytes) !== offered[name]) {
        throw new Error(`the asset ${name} arrived damaged`);
      }
      asked.set(name, bytes);
      if (wanted.delete(name)) give(name, bytes);
      if (bytes !== null) cache.put(offered[name], bytes);
    },
  };
}
