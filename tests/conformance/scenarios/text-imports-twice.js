import { join } from 'node:path';
const join = 1;
return join;
