// floor_word.js - the floor of a first call: a bare worker says a word, and it goes out.
'use strict';
const { writeSync } = require('node:fs');
const { Worker } = require('node:worker_threads');

const worker = new Worker('require("node:worker_threads").parentPort.postMessage("word")', {
  eval: true,
});
worker.on('message', (word) => writeSync(1, `${word}\n`));
