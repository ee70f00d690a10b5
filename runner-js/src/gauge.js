// What the worker can tell of itself, as far as the program lets it: busy time and memory.

import { engine, now } from './intrinsics.js';
import { figure as F } from './link.js';

const { stringify, max, round } = engine;
const SAMPLE_MS = 25;

export function newGauge(figures) {
  const busy = performance.eventLoopUtilization;
  const { version, memoryUsage: memory } = process;
  let sampled = 0;

  const sample = () => {
    sampled = now();
    const { heapUsed, rss } = memory();
    if (heapUsed > figures[F.HEAP_PEAK]) figures[F.HEAP_PEAK] = heapUsed;
    if (rss > figures[F.RSS_PEAK]) figures[F.RSS_PEAK] = rss;
  };

  // node's own measuring asks the program's process.hrtime for the time: where that throws, what
  // the main thread saw last must do.
  const measure = () => {
    try {
      sample();
      return busy().active - figures[F.BUSY_BASE] - figures[F.WAITED];
    } catch {
      return figures[F.BUSY_SEEN];
    }
  };

  return {
    // The program runs from now on.
    begin() {
      figures[F.BUSY_BASE] = busy().active;
      figures[F.BEGUN] = 1;
    },
    // Not more often than peaks are worth.
    look() {
      if (now() - sampled > SAMPLE_MS) measure();
    },
    // The payload of the frame, in ASCII.
    stats: () =>
      stringify({
        __proto__: null,
        node: version,
        compute_ms: max(0, round(measure())),
        heap_peak_bytes: figures[F.HEAP_PEAK],
        rss_peak_bytes: figures[F.RSS_PEAK],
      }),
  };
}
