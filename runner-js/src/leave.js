// How the process ends: with its whole group and all that descends from it, at once.
//
// Neither process.exit() nor worker.terminate() is ever waited for: a worker inside a system call
// or over its heap holds both up for seconds. But the program goes on while it is looked for what
// it started: so it is told to stop, and looks go on until nobody new is found.

import { closeSync } from 'node:fs';
import { descendantsOf, factsOf } from './descendants.js';

// Looks in a row that have to find nobody new: a list that changes while it is read may leave one
// out.
const QUIET_LOOKS = 2;
// What starts others faster than it is found has to be left to home.
const LOOKS_MOST = 100;
// Of no more use; a program may have taken all others, and looking needs one.
const NULL_IN = 0;
const HOME_IN = 3;

// The process group of a process, or 0 where that is unknown.
export function groupOf(pid) {
  return factsOf(pid)?.group ?? 0;
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has gone already, or was never ours to kill.
  }
}

// A session that is not ours was made by what we started, and so were its groups: a kill of such
// a group also gets who is being forked just now.
function killKin(kin, session) {
  if (kin.group > 1 && kin.session !== session) kill(-kin.group);
  kill(kin.pid);
}

// Whom of them no kill of the runner's own group would have reached.
function killDescendants() {
  const own = factsOf(process.pid);
  const killed = new Set();
  const strays = [];
  for (let i = 0, quiet = 0; i < LOOKS_MOST && quiet < QUIET_LOOKS; i++) {
    quiet++;
    for (const kin of descendantsOf(process.pid)) {
      if (killed.has(kin.pid)) continue;
      killed.add(kin.pid);
      killKin(kin, own?.session);
      if (kin.group !== own?.group) strays.push(kin);
      quiet = 0;
    }
  }
  return strays;
}

function spare(fd) {
  try {
    closeSync(fd);
  } catch {
    // The program was faster.
  }
}

// Kills what the program started, and tells whom of it had left the runner's group.
export function clear(worker) {
  worker.terminate();
  spare(NULL_IN);
  return killDescendants();
}

// worker: the program's. signal: of what the process is to be seen to have died; KILL gets its
// group too. Does not return.
export function leave(group, worker, signal = 'SIGKILL') {
  clear(worker);
  spare(HOME_IN);
  if (group === process.pid && signal === 'SIGKILL') kill(-group);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
