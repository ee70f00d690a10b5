// Without its types an import of nothing is left, which a body can't hold.
const a = 1;
import { type Dirent } from 'node:fs';
return a as unknown as Dirent;
