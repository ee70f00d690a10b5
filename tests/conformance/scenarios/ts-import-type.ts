import type { Stats } from 'node:fs';
import { type Dirent } from 'node:fs';
const size = (stats: Stats | Dirent): string => typeof stats;
return size({} as Stats);
