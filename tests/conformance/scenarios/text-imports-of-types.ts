import { type Stats, statSync } from 'node:fs';
const stat: Stats = statSync('/');
return stat.isDirectory();
