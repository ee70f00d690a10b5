// What the main thread can see of the worker and of the process: busy time, memory, descriptors.

import { fstatSync } from 'node:fs';
import { figure as F } from './link.js';
import { now } from './intrinsics.js';

// Tells whether a descriptor is still what it was.
function identityOf(fd) {
  try {
    const { dev, ino } = fstatSync(fd);
    return `${dev}:${ino}`;
  } catch {
    return '';
  }
}

// fds: descriptors that must stay what they are.
export function newVitals(inlet, fds) {
  const { figures } = inlet;
  const identities = fds.map(identityOf);
  const firstPeak = process.resourceUsage().maxRSS;
  let worker = null;

  // Busy time since the program began, less its waits for home.
  const computeMs = () => {
    if (worker === null || figures[F.BEGUN] === 0) return figures[F.BUSY_SEEN];
    const busy = worker.performance.eventLoopUtilization().active;
    figures[F.BUSY_SEEN] = Math.max(0, busy - figures[F.BUSY_BASE] - inlet.waitedMs(now()));
    return figures[F.BUSY_SEEN];
  };

  // Reading it takes a descriptor, and the program may have taken all. The peak takes none, but
  // may be that of who forked us.
  const readRss = () => {
    try {
      return process.memoryUsage.rss();
    } catch {
      const { maxRSS } = process.resourceUsage();
      return maxRSS > firstPeak ? maxRSS * 1024 : figures[F.RSS_PEAK];
    }
  };

  const rss = () => {
    const bytes = readRss();
    if (bytes > figures[F.RSS_PEAK]) figures[F.RSS_PEAK] = bytes;
    return bytes;
  };

  return {
    computeMs,
    rss,
    // worker: a Worker, or null once it has gone.
    watch(one) {
      worker = one;
    },
    // A program may close descriptors that are not its own, or put others in their place.
    isIntact: (fd) => identityOf(fd) === identities[fds.indexOf(fd)],
    stats() {
      rss();
      return {
        node: process.version,
        compute_ms: Math.round(computeMs()),
        heap_peak_bytes: figures[F.HEAP_PEAK],
        rss_peak_bytes: figures[F.RSS_PEAK],
      };
    },
  };
}
