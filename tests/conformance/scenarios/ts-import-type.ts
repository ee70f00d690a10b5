import type { Stats } from 'node:fs';
import type * as os from 'node:os';
const size = (stats: Stats, cpus?: os.CpuInfo[]): string => typeof stats;
return size({} as Stats);
