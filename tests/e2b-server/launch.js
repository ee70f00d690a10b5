// Starts the server for a test, as anybody would start it, and talks to its way in for orders.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('server.js', import.meta.url));

export class Server {
  // Resolves when it listens; rejects with what it said where it did not start.
  static async start(...args) {
    const child = spawn(process.execPath, [SERVER, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
    const server = new Server();
    server.child = child;
    server.said = '';
    child.stderr.on('data', (text) => {
      server.said += text;
    });
    server.exited = once(child, 'exit');
    const [line] = await Promise.race([once(createInterface(child.stdout), 'line'),
      server.exited.then(() => {
        throw new Error(server.said);
      })]);
    return Object.assign(server, JSON.parse(line));
  }

  async admin(method, path, body = undefined) {
    const answer = await fetch(`${this.adminUrl}/${path}`,
      { method, body: body === undefined ? undefined : JSON.stringify(body) });
    const value = await answer.json();
    if (!answer.ok) throw new Error(value.error);
    return value;
  }

  fault(...orders) {
    return this.admin('POST', 'faults', orders);
  }

  // For a request to the control plane without a client's library.
  api(method, path, body = undefined, headers = {}) {
    return fetch(this.apiUrl + path, { method, headers: { 'X-API-Key': this.apiKey, ...headers },
      body: body === undefined ? undefined : JSON.stringify(body) });
  }

  // The same for envd of a sandbox, as the control plane told of it.
  envd(sandbox, path, { headers = {}, ...rest } = {}) {
    return fetch(this.sandboxUrl + path, { method: 'POST', ...rest, headers: {
      'E2b-Sandbox-Id': sandbox.sandboxID, 'E2b-Sandbox-Port': '49983',
      'X-Access-Token': sandbox.envdAccessToken, ...headers } });
  }

  async create(order = {}) {
    const answer = await this.api('POST', '/v2/sandboxes', { templateID: 'base', ...order });
    return answer.json();
  }

  // By the end of its stdin. Resolves to its exit code.
  async stop() {
    this.child.stdin.end();
    const [code] = await this.exited;
    return code;
  }
}

// Whether a process of this pid lives; a zombie does not.
export function isAlive(pid) {
  try {
    return !/\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

export async function eventually(check, what, ms = 10000) {
  for (const until = Date.now() + ms; Date.now() < until;) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`it did not come about within ${ms} ms: ${what}`);
}
