#!/usr/bin/env node
// Starts the server and outlives it: what world.js leaves behind, however it ends, is cleaned up
// here. The server runs in a session of its own, since whoever kills the group of a command in a
// sandbox kills envd too, and must not kill the tests.

import { spawn } from 'node:child_process';
import { fstatSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { killMembers } from './census.js';
import { USAGE, readOptions } from './options.js';

const PATIENCE_MS = 10000;

function endsWithStdin() {
  const stat = fstatSync(0);
  return stat.isFIFO() || stat.isSocket();
}

// Resolves to its exit code, or null where a signal ended it.
function runWorld(args, onMessage) {
  const world = spawn(process.execPath, [fileURLToPath(new URL('world.js', import.meta.url)),
    ...args], { detached: true, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  world.on('message', onMessage);
  const stop = () => {
    if (!world.connected) return;
    world.send({ stop: true });
    setTimeout(() => world.kill('SIGKILL'), PATIENCE_MS).unref();
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, stop);
  if (endsWithStdin()) {
    process.stdin.on('end', stop).on('error', stop).resume();
  }
  return new Promise((resolve) => world.on('exit', resolve));
}

async function main() {
  const args = process.argv.slice(2);
  if (readOptions(args).help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const ids = [];
  const roots = [];
  const code = await runWorld(args, ({ born, root }) => {
    if (born !== undefined) ids.push(born);
    if (root !== undefined) roots.push(root);
  });
  const left = await killMembers(ids);
  for (const root of roots) rmSync(root, { recursive: true, force: true });
  if (left > 0) process.stderr.write(`e2b-server: ${left} processes could not be ended\n`);
  return left > 0 ? 1 : code ?? 1;
}

main().then((code) => process.exit(code), (error) => {
  process.stderr.write(`e2b-server: ${error.message}\n`);
  process.exit(2);
});
