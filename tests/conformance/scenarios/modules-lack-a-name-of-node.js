import { readFileSnyc } from 'node:fs';
return readFileSnyc('/etc/hostname');
