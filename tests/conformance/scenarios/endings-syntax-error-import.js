import fs from 'node:fs';
return 1;
