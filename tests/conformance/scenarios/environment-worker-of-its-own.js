const { Worker } = require('node:worker_threads');
const text = 'require("worker_threads").parentPort.postMessage(6 * 7)';
const worker = new Worker(text, { eval: true });
return new Promise((resolve) => worker.on('message', resolve));
