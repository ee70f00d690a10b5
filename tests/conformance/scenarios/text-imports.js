import os, { EOL as eol, type } from 'node:os';
import * as path from 'node:path';
import 'node:url'; import { join } from "node:path";
return [typeof os.cpus, eol, typeof type, path.join('a', 'b') === join('a', 'b')];
