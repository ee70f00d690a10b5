// A log that cannot be made must not take the program with it.
const { inspect } = require('node:util');
const bad = { [inspect.custom]() { throw new Error('inspect'); } };
let outcome = 'logged';
try { console.log(bad); } catch (error) { outcome = error.message; }
console.log('still here');
return outcome;
