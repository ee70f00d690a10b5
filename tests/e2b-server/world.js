// The server itself: three listeners over one fleet. Started by server.js, which watches over it
// and cleans up whatever it leaves; when server.js is gone, it ends.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';

import { Admin } from './admin.js';
import { Control } from './control.js';
import { Alone, Edge } from './edge.js';
import { Faults } from './faults.js';
import { Fleet } from './fleet.js';
import { Gate } from './gate.js';
import { Journal } from './journal.js';
import { readOptions } from './options.js';

const IDLE_MS = 620000;
const FOREVER_S = 1e9;

function newServer(settings, listener) {
  const calm = { keepAliveTimeout: IDLE_MS, requestTimeout: 0, headersTimeout: 0 };
  if (settings.tlsCert === null) return createServer(calm, listener);
  return createSecureServer({ ...calm, cert: readFileSync(settings.tlsCert),
    key: readFileSync(settings.tlsKey) }, listener);
}

function listen(server, port, host) {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server.address().port));
  });
}

async function openWorld(settings) {
  const fleet = new Fleet(settings, (id) => process.send({ born: id }));
  process.send({ root: fleet.root });
  await fleet.pipes.prepare();
  const faults = new Faults();
  if (settings.faults !== null) faults.order(JSON.parse(readFileSync(settings.faults, 'utf8')));
  const shared = { faults, journal: new Journal(), fleet, settings };
  const control = new Control(fleet, settings);
  const api = newServer(settings, new Gate('api', control, shared).listener);
  const edge = newServer(settings, new Gate('envd', new Edge(fleet, settings), shared).listener);
  const admin = createServer(new Admin(shared).listener);
  const servers = [api, edge, admin];
  const ports = [];
  for (const [at, server] of servers.entries()) {
    ports.push(await listen(server, settings.port === 0 ? 0 : settings.port + at, settings.host));
  }
  if (settings.standalone !== null) {
    const alone = newServer(settings, new Gate('envd', newAlone(fleet), shared).listener);
    servers.push(alone);
    ports.push(await listen(alone, settings.standalone, settings.host));
  }
  return { fleet, servers, ports };
}

// Its sandbox lives as long as the server.
function newAlone(fleet) {
  return new Alone(fleet.create({ templateID: 'base', timeout: FOREVER_S, secure: false }));
}

function announce(settings, { fleet, ports }) {
  const scheme = settings.tlsCert === null ? 'http' : 'https';
  const [apiUrl, sandboxUrl] = ports.map((port) => `${scheme}://${settings.host}:${port}`);
  const adminUrl = `http://${settings.host}:${ports[2]}`;
  const alone = ports[3] === undefined ? {}
    : { envdUrl: `${scheme}://${settings.host}:${ports[3]}` };
  const about = { apiUrl, sandboxUrl, adminUrl, ...alone, apiKey: settings.apiKey,
    envdVersion: settings.envdVersion, root: fleet.root, pid: process.pid };
  process.stdout.write(`${JSON.stringify(about)}\n`);
  process.stderr.write(`e2b-server: the API is at ${apiUrl}, sandboxes at ${sandboxUrl}, ` +
    `orders at ${adminUrl}\ne2b-server: export E2B_API_URL=${apiUrl} ` +
    `E2B_SANDBOX_URL=${sandboxUrl} E2B_API_KEY=${settings.apiKey}\n`);
}

async function closeWorld({ fleet, servers }) {
  for (const server of servers) server.close();
  await fleet.close();
  for (const server of servers) server.closeAllConnections();
}

async function main() {
  const settings = readOptions(process.argv.slice(2));
  const world = await openWorld(settings);
  let isClosing = false;
  const stop = async () => {
    if (isClosing) return;
    isClosing = true;
    await closeWorld(world);
    process.exit(0);
  };
  process.on('message', stop);
  process.on('disconnect', stop);
  process.on('SIGTERM', stop);
  announce(settings, world);
}

main().catch((error) => {
  process.stderr.write(`e2b-server: ${error.message}\n`);
  process.exit(1);
});
