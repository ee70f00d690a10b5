// floor_echo.js - the floor of a call: bytes from home go to a worker and come back by way of
// the main thread, as they are. ROUNDS is how many chunks are answered before it leaves.
'use strict';
const { Worker } = require('node:worker_threads');

const worker = new Worker(
  'const { parentPort } = require("node:worker_threads");' +
  'parentPort.on("message", (bytes) => parentPort.postMessage(bytes));',
  { eval: true },
);
worker.on('message', (text) => process.stdout.write(text));
process.stdin.setEncoding('latin1');
process.stdin.on('data', (text) => worker.postMessage(text));
process.stdin.on('end', () => process.exit(0));
