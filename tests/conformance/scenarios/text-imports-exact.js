import { join } from 'node:path';
return join('a', 'b');
