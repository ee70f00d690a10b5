// The main thread's end of the link: moves the worker's bytes on to home, and puts frames of the
// main thread's own between the worker's.
//
// Takes no more than home takes; knows nothing of what the bytes mean.

import { state as S, figure as F, viewLink } from './link.js';

const PART_BYTES = 256 << 10;

export function newInlet(memory, sink) {
  const { state, figures, ring, size } = viewLink(memory);
  let tail = 0;
  let own = [];

  const emptied = () => ((Atomics.load(state, S.HEAD) - tail) | 0) === 0;
  // Between two frames of the worker: it has begun none, and all that it wrote went on.
  const between = () => Atomics.load(state, S.OPEN) === 0 && emptied();

  const move = () => {
    const count = (Atomics.load(state, S.HEAD) - tail) | 0;
    const at = tail & (size - 1);
    const part = Buffer.allocUnsafe(Math.min(count, size - at, PART_BYTES));
    ring.copy(part, 0, at, at + part.length);
    sink.write(part);
    tail = (tail + part.length) | 0;
    Atomics.store(state, S.TAIL, tail);
    if (Atomics.load(state, S.WAITING) !== 0) Atomics.notify(state, S.TAIL);
  };

  const drain = () => {
    Atomics.store(state, S.WAKE, 0);
    while (!emptied()) {
      if (sink.full()) return sink.whenReady(drain);
      move();
    }
    if (own.length > 0 && between()) {
      for (const bytes of own) sink.write(bytes);
      own = [];
    }
    return undefined;
  };

  return {
    figures,
    drain,
    // A frame from this thread, as soon as the worker's stream is between two of its own.
    insert(bytes) {
      own.push(bytes);
      drain();
    },
    // From here on the program may run.
    watch() {
      Atomics.store(state, S.WATCHED, 1);
      Atomics.notify(state, S.WATCHED);
    },
    // From here on the worker begins no frame.
    close: () => Atomics.store(state, S.CLOSED, 1),
    // Whether the last words are this thread's to say; asked once.
    claimEnd: () => Atomics.exchange(state, S.OVER, 1) === 0,
    ending: () => Atomics.load(state, S.OVER) !== 0,
    // Whether all that was said, by either thread, went on.
    idle: () => own.length === 0 && between(),
    // Whether the worker stands, or fell, in the middle of a frame of which no more has come.
    torn: () => emptied() && Atomics.load(state, S.OPEN) !== 0,
    // What of the time that the worker's loop was busy was in fact a wait for home.
    waitedMs(time) {
      const waiting = Atomics.load(state, S.WAITING) !== 0;
      return figures[F.WAITED] + (waiting ? Math.max(0, time - figures[F.WAIT_SINCE]) : 0);
    },
  };
}
