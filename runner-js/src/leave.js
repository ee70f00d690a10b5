// How the process ends: with its whole group, all that descends from it, and all that bears the
// run's brand, at once.
//
// Neither process.exit() nor worker.terminate() is ever waited for: a worker inside a system call
// or over its heap holds both up for seconds. But the program goes on while it is looked for what
// it started: so it is told to stop, and looks go on until nobody new is found.

import { closeSync } from 'node:fs';
import { bearersOf, brandOf } from './brand.js';
import { descendantsOf, factsOf, hasChildren } from './descendants.js';

// Looks in a row that have to find nobody new: a list that changes while it is read may leave one
// out.
const QUIET_LOOKS = 2;
// What starts others faster than it is found has to be left to home.
const LOOKS_MOST = 100;
// Of no more use; a program may have taken all others, and looking needs one.
const NULL_IN = 0;
const HOME_IN = 3;

// Of what a shell had started before it became this process.
let faultsBefore = 0;

// The process group of this process, or 0 where that is unknown. To be asked for before a program
// runs.
export function ownGroup() {
  const own = factsOf(process.pid);
  faultsBefore = own?.faults ?? 0;
  return own?.group ?? 0;
}

function ancestorsOf(pid) {
  const found = new Set();
  for (let at = factsOf(pid)?.parent ?? 0; at > 0 && !found.has(at);) {
    found.add(at);
    at = factsOf(at)?.parent ?? 0;
  }
  return found;
}

// Looks for who outlived all that led to it. To look at each process takes time, so that it is done
// only where the program started one at all.
function newSearch(mark) {
  const own = factsOf(process.pid);
  const started = own !== null && (own.faults > faultsBefore || hasChildren(process.pid));
  const brand = started ? brandOf(mark) : null;
  const spared = brand === null ? null : ancestorsOf(process.pid).add(process.pid);
  return () => {
    if (brand === null) return [];
    const pids = bearersOf(brand).filter((pid) => !spared.has(pid));
    return pids.map(factsOf).filter((facts) => facts !== null);
  };
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
function killKindred(mark) {
  const own = factsOf(process.pid);
  const killed = new Set();
  const strays = [];
  const killNew = (kindred) => {
    const found = kindred.filter(({ pid }) => !killed.has(pid));
    for (const kin of found) {
      killed.add(kin.pid);
      killKin(kin, own?.session);
      if (kin.group !== own?.group) strays.push(kin);
    }
    return found.length > 0;
  };
  const bearers = newSearch(mark);
  let searched = false;
  for (let i = 0, quiet = 0; i < LOOKS_MOST && quiet < QUIET_LOOKS; i++) {
    quiet = killNew(descendantsOf(process.pid)) ? 0 : quiet + 1;
    if (quiet === 0 || searched) continue;
    searched = !killNew(bearers());
    if (!searched) quiet = 0;
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

// Kills what the program started, and tells whom of it had left the runner's group. mark: that of
// the run.
export function clear(worker, mark) {
  worker.terminate();
  spare(NULL_IN);
  return killKindred(mark);
}

// worker: the program's. signal: of what the process is to be seen to have died; KILL gets its
// group too. Does not return.
export function leave(group, worker, mark, signal = 'SIGKILL') {
  clear(worker, mark);
  spare(HOME_IN);
  if (group === process.pid && signal === 'SIGKILL') kill(-group);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
