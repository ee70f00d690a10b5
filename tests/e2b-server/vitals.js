// What this machine tells of itself where a sandbox would: processors, memory, disk.

import { statfsSync } from 'node:fs';
import { cpus, freemem, loadavg, totalmem } from 'node:os';

export function readVitals() {
  const disk = statfsSync('/');
  const cpuCount = cpus().length;
  return {
    cpuCount, cpuUsedPct: Math.round(Math.min(100, loadavg()[0] / cpuCount * 100) * 100) / 100,
    memTotal: totalmem(), memUsed: totalmem() - freemem(), memCache: 0,
    diskTotal: disk.blocks * disk.bsize, diskUsed: (disk.blocks - disk.bfree) * disk.bsize,
  };
}
