const lib = require('lib');
return lib.a;
