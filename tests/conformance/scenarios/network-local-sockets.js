// A socket of the file system is no network.
const net = require('node:net');
const { mkdtempSync, rmSync } = require('node:fs');
const folder = mkdtempSync(`${require('node:os').tmpdir()}/errand-socket-`);
const server = net.createServer((client) => client.end('hi'));
await new Promise((go, no) => server.on('error', no).listen(`${folder}/s`, go));
const text = await new Promise((go, no) =>
  net.connect(`${folder}/s`).setEncoding('utf8').on('data', go).on('error', no));
await new Promise((go) => server.close(go));
rmSync(folder, { recursive: true });
return text;
