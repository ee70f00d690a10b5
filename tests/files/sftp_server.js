// sftp_server.js - a file service of little virtue, for tests: sftp_server.js VICE FILE. What it
// serves is FILE, whatever is asked for.
'use strict';
const { readFileSync } = require('node:fs');

const [vice, path] = process.argv.slice(2);
const bytes = readFileSync(path);
const INIT = 1, OPEN = 3, CLOSE = 4, READ = 5, STAT = 17;
const VERSION = 2, STATUS = 101, HANDLE = 102, DATA = 103, ATTRS = 105;
const held = [];

const u32 = (number) => {
  const four = Buffer.alloc(4);
  four.writeUInt32BE(number);
  return four;
};
const text = (what) => Buffer.concat([u32(what.length), Buffer.from(what)]);
const send = (type, ...parts) => {
  const body = Buffer.concat([Buffer.from([type]), ...parts]);
  process.stdout.write(Buffer.concat([u32(body.length), body]));
};
const version = () => send(VERSION, u32(3), text('posix-rename@openssh.com'), text('1'));
const status = (id, code) => send(STATUS, id, u32(code), text('no'), text(''));

// Short, late and the last one first.
const shuffle = (id, offset, length) => {
  held.push([id, bytes.subarray(offset, offset + Math.ceil(length / 3))]);
  setImmediate(() => {
    const last = held.pop();
    if (last !== undefined) send(DATA, last[0], text(last[1]));
  });
};

const vices = {
  'says no version': { [INIT]: () => status(u32(3), 8) },
  'names a huge size': { [OPEN]: () => process.stdout.write(Buffer.from('ffffffff65', 'hex')) },
  'answers what was not asked': { [OPEN]: (id) => status(u32(id.readUInt32BE() + 1), 0) },
  'has no end': { [STAT]: () => setInterval(() => process.stdout.write('x'.repeat(99999)), 1) },
  'gives a long handle': { [OPEN]: (id) => send(HANDLE, id, text('h'.repeat(300))) },
  'gives more than asked': { [READ]: (id, at, n) => send(DATA, id, text('x'.repeat(n + 1))) },
  'gives nothing': { [READ]: (id) => send(DATA, id, text('')) },
  'tears its answer': { [READ]: (id) => send(DATA, id, u32(1000), Buffer.from('x')) },
  'leaves': { [READ]: () => process.exit(0) },
  'opens with an OK': { [OPEN]: (id) => status(id, 0) },
  'goes on': { [READ]: (id, at, n) => send(DATA, id, text('x'.repeat(n))) },
  'gives little by little and askew': { [READ]: shuffle },
};

const virtues = {
  [INIT]: version,
  [STAT]: (id) =>
    send(ATTRS, id, u32(5), u32(0), u32(bytes.length), u32(0o100640)),
  [OPEN]: (id) => send(HANDLE, id, text('h')),
  [CLOSE]: (id) => status(id, 0),
  [READ]: (id, offset, length) =>
    offset < bytes.length
      ? send(DATA, id, text(bytes.subarray(offset, offset + length)))
      : status(id, 1),
};

const handle = (packet) => {
  const type = packet[0];
  const act = vices[vice][type] ?? virtues[type];
  const id = packet.subarray(1, 5);
  if (type !== READ) return act?.(id);
  const at = 9 + packet.readUInt32BE(5);
  return act(id, packet.readUInt32BE(at + 4), packet.readUInt32BE(at + 8));
};

let waiting = Buffer.alloc(0);
process.stdin.on('data', (more) => {
  waiting = Buffer.concat([waiting, more]);
  while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32BE()) {
    const end = 4 + waiting.readUInt32BE();
    handle(waiting.subarray(4, end));
    waiting = waiting.subarray(end);
  }
});
