const made = require('node:vm').runInNewContext('({ a: [1, { b: null }] })');
return made;
