// What envd tells of a file: type, mode and names as its own stat would print them.

import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';

import { ConnectError } from './connect.js';

const NAMES = { passwd: new Map(), group: new Map() };

function nameOf(file, id) {
  const names = NAMES[file];
  if (names.size === 0) {
    for (const line of readFileSync(`/etc/${file}`, 'utf8').split('\n')) {
      const [name, , number] = line.split(':');
      names.set(Number(number), name);
    }
  }
  return names.get(id) ?? String(id);
}

// "-rw-r--r--", with a letter in front as Go prints it.
function permissionsOf(stat) {
  let kind = '-';
  if (stat.isDirectory()) kind = 'd';
  else if (stat.isSymbolicLink()) kind = 'L';
  const letters = [...'rwxrwxrwx'];
  const bits = Number(stat.mode) & 0o777;
  return kind + letters.map((letter, at) => (bits & (0o400 >> at) ? letter : '-')).join('');
}

function typeOf(stat) {
  if (stat === null) return 'FILE_TYPE_UNSPECIFIED';
  if (stat.isFile()) return 'FILE_TYPE_FILE';
  return stat.isDirectory() ? 'FILE_TYPE_DIRECTORY' : 'FILE_TYPE_UNSPECIFIED';
}

function targetOf(path) {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const NO_THROW = { throwIfNoEntry: false };

// words: the metadata of the file, as files.js keeps it.
export function entryOf(path, words) {
  const stat = lstatSync(path, { bigint: true, ...NO_THROW });
  if (stat === undefined) {
    throw new ConnectError('not_found', `file not found: lstat ${path}: no such file or directory`);
  }
  const symlinkTarget = stat.isSymbolicLink() ? targetOf(path) : undefined;
  const seen = symlinkTarget === undefined ? stat : statSync(symlinkTarget, NO_THROW) ?? null;
  return {
    name: basename(path), type: typeOf(seen), path, size: stat.size,
    mode: seen === null ? 0 : Number(seen.mode) & 0o777, permissions: permissionsOf(stat),
    owner: nameOf('passwd', Number(stat.uid)), group: nameOf('group', Number(stat.gid)),
    modifiedTime: stat.mtimeNs, symlinkTarget, metadata: words,
  };
}
