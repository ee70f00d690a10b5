// What home sends comes on descriptor 3; a program that drinks it only robs itself.
const { readSync } = require('node:fs');
const call = tools.slow({ ms: 300, value: 'mine' });
const until = Date.now() + 600;
const sip = Buffer.alloc(1);
while (Date.now() < until) { try { if (readSync(3, sip) === 1) break; } catch { } }
return Promise.race([call, new Promise((resolve) => setTimeout(resolve, 500, 'robbed'))]);
