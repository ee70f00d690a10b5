import { join } from 'node:path'; missing(join);
