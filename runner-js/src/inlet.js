// The main thread's end of the link: moves the worker's bytes on to home.
//
// Takes no more than home takes; knows nothing of what the bytes mean.

import { state as S, figure as F, viewLink } from './link.js';

const PART_BYTES = 256 << 10;

export function newInlet(memory, sink) {
  const { state, figures, ring, size } = viewLink(memory);
  let tail = 0;

  const drain = () => {
    Atomics.store(state, S.WAKE, 0);
    for (;;) {
      const count = (Atomics.load(state, S.HEAD) - tail) | 0;
      if (count === 0) return;
      if (sink.full()) return sink.whenReady(drain);
      const at = tail & (size - 1);
      const part = Buffer.allocUnsafe(Math.min(count, size - at, PART_BYTES));
      ring.copy(part, 0, at, at + part.length);
      sink.write(part);
      tail = (tail + part.length) | 0;
      Atomics.store(state, S.TAIL, tail);
      if (Atomics.load(state, S.WAITING) !== 0) Atomics.notify(state, S.TAIL);
    }
  };

  return {
    figures,
    drain,
    // Whether nothing more will come and all that came has gone on: the worker begins no frame
    // after this was asked once.
    closed() {
      Atomics.store(state, S.CLOSED, 1);
      const open = Atomics.load(state, S.OPEN) !== 0;
      drain();
      return !open && ((Atomics.load(state, S.HEAD) - tail) | 0) === 0;
    },
    // What of the time that the worker's loop was busy was in fact a wait for home.
    waitedMs(time) {
      const waiting = Atomics.load(state, S.WAITING) !== 0;
      return figures[F.WAITED] + (waiting ? Math.max(0, time - figures[F.WAIT_SINCE]) : 0);
    },
  };
}
