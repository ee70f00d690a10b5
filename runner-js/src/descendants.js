// Who descends from a process, as Linux's /proc tells it. Where there is none, nobody is found.

import { readFileSync, readdirSync } from 'node:fs';

// What follows the name in /proc/PID/stat.
const STATE = 0;
const PARENT = 1;
const GROUP = 2;
const SESSION = 3;
const CHILDREN_FAULTS = 8;
const THREADS = 17;

function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    fields.name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    return fields;
  } catch {
    return null;
  }
}

// { pid, parent, group, session, name, faults } of a process that lives, or null. faults: pages
// that its children touched, as far as it was told that they ended. The first thread of one may
// have ended before the others: that looks like a zombie and is none.
export function factsOf(pid) {
  const fields = statOf(pid);
  if (fields === null) return null;
  if ('ZX'.includes(fields[STATE]) && Number(fields[THREADS]) <= 1) return null;
  const [parent, group, session, faults] = [PARENT, GROUP, SESSION, CHILDREN_FAULTS].map((at) =>
    Number(fields[at]),
  );
  return { pid, parent, group, session, name: fields.name, faults };
}

function numbersIn(folder) {
  try {
    return readdirSync(folder).filter((name) => /^[0-9]+$/.test(name));
  } catch {
    return [];
  }
}

function listOf(pid, task) {
  try {
    const list = readFileSync(`/proc/${pid}/task/${task}/children`, 'latin1');
    return list.split(' ').filter(Boolean).map(Number);
  } catch {
    return null;
  }
}

// Each thread has a list of the children that it started.
const listedChildren = (pid) =>
  numbersIn(`/proc/${pid}/task`).flatMap((task) => listOf(pid, task) ?? []);

// For kernels without such lists: everybody is asked for his parent.
function scannedChildren() {
  const children = new Map();
  for (const name of numbersIn('/proc')) {
    const fields = statOf(name);
    if (fields === null) continue;
    const parent = Number(fields[PARENT]);
    if (!children.has(parent)) children.set(parent, []);
    children.get(parent).push(Number(name));
  }
  return (pid) => children.get(pid) ?? [];
}

// Whether pid has a child, dead ones included.
export const hasChildren = (pid) =>
  listOf(pid, pid) === null ? scannedChildren()(pid).length > 0 : listedChildren(pid).length > 0;

// Facts of all that live and descend from pid, those next to it first.
export function descendantsOf(pid) {
  const childrenOf = listOf(pid, pid) === null ? scannedChildren() : listedChildren;
  const pids = [pid];
  const found = [];
  for (let at = 0; at < pids.length; at++) {
    for (const child of childrenOf(pids[at])) {
      if (pids.includes(child)) continue;
      pids.push(child);
      const facts = factsOf(child);
      if (facts !== null) found.push(facts);
    }
  }
  return found;
}
