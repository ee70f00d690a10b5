// Who runs on this machine, and which of them belong to a sandbox: those that carry its id in
// their environment, whoever descends from them, and whoever is in a session of theirs. A process
// that leaves all three behind at once is not found.

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const ROUNDS = 200;
const ROUND_MS = 10;

function read(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return null; // Gone, or not ours to see.
  }
}

// The words of stat stand behind the name, which may hold anything.
function readProcess(pid) {
  const stat = read(pid, 'stat');
  if (stat === null) return null;
  const words = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { pid, state: words[0], parent: Number(words[1]), group: Number(words[2]),
    session: Number(words[3]) };
}

function everyone() {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((one) => one !== null && one.state !== 'Z' && one.state !== 'X');
}

function carries(pid, ids) {
  const environment = read(pid, 'environ');
  if (environment === null) return false;
  return environment.split('\0').some((entry) =>
    entry.startsWith('E2B_SANDBOX_ID=') && ids.has(entry.slice('E2B_SANDBOX_ID='.length)));
}

// Processes of the sandboxes of these ids, as { pid, state, parent, group, session }.
export function membersOf(ids) {
  const wanted = new Set(ids);
  if (wanted.size === 0) return [];
  const all = everyone().filter(({ pid }) => pid !== process.pid);
  const members = new Map(all.filter(({ pid }) => carries(pid, wanted))
    .map((one) => [one.pid, one]));
  for (let grown = true; grown;) {
    const before = members.size;
    for (const one of all) {
      if (members.has(one.parent) || members.has(one.session)) members.set(one.pid, one);
    }
    grown = members.size > before;
  }
  return [...members.values()];
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // Gone meanwhile.
  }
}

// Until nobody is left, for whoever forks while we kill. Resolves to the number of the rest.
export async function killMembers(ids) {
  for (let round = 0; round < ROUNDS; round += 1) {
    const members = membersOf(ids);
    if (members.length === 0) return 0;
    for (const { pid } of members) signal(pid, 'SIGKILL');
    await sleep(ROUND_MS);
  }
  return membersOf(ids).length;
}

// Stops them all; returns the pids, for thaw(). Those that stand already are not ours to wake.
export function freezeMembers(ids) {
  const stopped = membersOf(ids).filter(({ state }) => state !== 'T').map(({ pid }) => pid);
  for (const pid of stopped) signal(pid, 'SIGSTOP');
  return stopped;
}

export function thaw(pids) {
  for (const pid of pids) signal(pid, 'SIGCONT');
}
