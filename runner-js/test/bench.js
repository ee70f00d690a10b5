// Prints what a call costs beside the least that it could cost: the same bytes, echoed by a bare
// worker thread behind pipes. Gates nothing.
//
//   ERRAND_SHOW_LAUNCH=... node bench.js [CALLS]

import { spawn } from 'node:child_process';
import { nodes, run, begin } from './home.js';

const CALLS = Number(process.argv[2] || 10000);

// The floor's far side: descriptor 0 to a worker and back to 1, one line a round trip.
const FLOOR = `
const { Worker } = require('node:worker_threads');
const net = require('node:net');
const worker = new Worker(\`
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (text) => parentPort.postMessage(text));
  parentPort.postMessage('ready\\\\n');
\`, { eval: true });
const socket = new net.Socket({ fd: 0, readable: true, writable: false });
const out = new net.Socket({ fd: 1, readable: false, writable: true });
worker.on('message', (text) => out.write(text));
socket.on('data', (bytes) => worker.postMessage(bytes.latin1Slice(0, bytes.length)));
`;

function floor(node) {
  return new Promise((resolve) => {
    const child = spawn(node, ['-e', FLOOR], { stdio: ['pipe', 'pipe', 'inherit'] });
    const line = 'reply 10000 ok 16\n{"city":"Turin"}\n';
    let left = CALLS;
    let began = 0n;
    child.stdout.on('data', () => {
      if (began === 0n) began = process.hrtime.bigint();
      if (left-- === 0) {
        child.kill('SIGKILL');
        resolve(Number(process.hrtime.bigint() - began) / 1e3 / CALLS);
        return;
      }
      child.stdin.write(line);
    });
  });
}

const sequential = `const t = performance.now(); for (let i = 0; i < ${CALLS}; i++) await tools.echo({ city: 'Turin' }); return (performance.now() - t) * 1e3 / ${CALLS}`;
const together = `const t = performance.now(); await Promise.all(Array.from({ length: ${CALLS} }, () => tools.echo({ city: 'Turin' }))); return (performance.now() - t) * 1e3 / ${CALLS}`;

for (const node of nodes) {
  const least = await floor(node);
  const one = (await run(sequential, { node, timeout: 120000 })).value;
  const all = (await run(together, { node, timeout: 120000 })).value;
  const first = [];
  const bare = [];
  for (let i = 0; i < 7; i++) {
    const began = process.hrtime.bigint();
    await new Promise((resolve) => {
      const child = spawn(node, ['-e', FLOOR], { stdio: ['pipe', 'pipe', 'inherit'] });
      child.stdout.once('data', () => {
        bare.push(Number(process.hrtime.bigint() - began) / 1e6);
        child.kill('SIGKILL');
        resolve();
      });
    });
    let start = 0n;
    const far = begin('return await tools.echo(1)', { node, onFrame: (words) => {
      if (words[0] === 'call') first.push(Number(process.hrtime.bigint() - start) / 1e6);
    } });
    start = far.began;
    await far.ended;
  }
  const middle = (list) => list.sort((a, b) => a - b)[list.length >> 1];
  process.stdout.write(`${node}: floor ${least.toFixed(1)} us, sequential ${one.toFixed(1)} us (${(one / least).toFixed(2)}), ` +
    `together ${all.toFixed(1)} us (${(all / least).toFixed(2)}); bare worker's first word ${middle(bare).toFixed(1)} ms, first call ${middle(first).toFixed(1)} ms\n`);
}
