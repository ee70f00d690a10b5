const a: number = 1;
import fs = require('node:fs');
return typeof fs;
