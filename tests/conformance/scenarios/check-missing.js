import { join } from 'node:path';
import {
  pad,
} from 'left-pad';
return pad(join('a', 'b'));
