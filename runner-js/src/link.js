// The memory that both threads share: a ring of bytes for what the worker says, and figures.
//
// The worker writes whole frames into the ring and wakes the main thread; the main thread moves
// them on to home whenever home takes bytes. A full ring is the worker's backpressure: it waits,
// and that wait is no compute. What was written is not lost when the worker is stopped in the
// middle of a busy loop. Knows nothing of what frames mean.

const RING_BYTES = 1 << 20;
const STATE = {
  HEAD: 0,
  TAIL: 1,
  WAKE: 2,
  OPEN: 3,
  CLOSED: 4,
  WAITING: 5,
  OVER: 6,
  WATCHED: 7,
  WORDS: 8,
};
const FIGURES = {
  WAITED: 0,
  WAIT_SINCE: 1,
  BUSY_BASE: 2,
  HEAP_PEAK: 3,
  RSS_PEAK: 4,
  METERED: 5,
  BEGUN: 6,
  BUSY_SEEN: 7,
  WORDS: 8,
};

export const figure = FIGURES;
export const state = STATE;

export function newLink() {
  return new SharedArrayBuffer(STATE.WORDS * 4 + FIGURES.WORDS * 8 + RING_BYTES);
}

export function viewLink(memory) {
  return {
    state: new Int32Array(memory, 0, STATE.WORDS),
    figures: new Float64Array(memory, STATE.WORDS * 4, FIGURES.WORDS),
    ring: Buffer.from(memory, STATE.WORDS * 4 + FIGURES.WORDS * 8, RING_BYTES),
    size: RING_BYTES,
  };
}
