// How the process ends: with its whole group and all that descends from it, at once.
//
// Neither process.exit() nor worker.terminate() is ever waited for: a worker inside a system call
// or over its heap holds both up for seconds. Knows Linux's /proc; where there is none, only the
// group is known.

import { readFileSync, readdirSync } from 'node:fs';

// The process group of a process, or 0 where that is unknown.
export function groupOf(pid) {
  const fields = statOf(pid);
  return fields === null ? 0 : Number(fields[2]);
}

// What follows the name in /proc/PID/stat: state, parent, group, session, ...
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

function descendants(pid) {
  let names;
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  const children = new Map();
  for (const name of names) {
    if (!/^[0-9]+$/.test(name)) continue;
    const fields = statOf(name);
    if (fields === null || fields[0] === 'Z') continue;
    const parent = Number(fields[1]);
    if (!children.has(parent)) children.set(parent, []);
    children.get(parent).push(Number(name));
  }
  const found = [];
  for (let at = -1; at < found.length; at++) {
    for (const child of children.get(at < 0 ? pid : found[at]) || []) {
      if (child !== pid && !found.includes(child)) found.push(child);
    }
  }
  return found;
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has gone already, or was never ours to kill.
  }
}

// Does not return.
export function leave(group) {
  for (const pid of descendants(process.pid)) kill(pid);
  if (group === process.pid) kill(-group);
  kill(process.pid);
}
