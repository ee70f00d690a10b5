// envd's files over HTTP: up, down, put together. Uploads go into the file as they arrive, so one
// that is cut leaves what came, as envd's does.

import { createHash } from 'node:crypto';
import { closeSync, createReadStream, openSync, renameSync, rmSync, statSync, writeSync }
  from 'node:fs';
import { basename, dirname } from 'node:path';
import { createGunzip, createGzip } from 'node:zlib';
import { Readable, pipeline } from 'node:stream';

import { ensureDirectory } from './filesystem.js';
import { metadataOf } from './metadata.js';
import { MultipartReader, boundaryOf } from './multipart.js';
import { answerError, answerJson } from './answers.js';
import { can } from './version.js';

class FileError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

function fail(status, message) {
  throw new FileError(status, message);
}

function signatureOf({ path, operation, user, token, expiration }) {
  const words = [path, operation, user, token];
  if (expiration !== null) words.push(expiration);
  const hash = createHash('sha256').update(words.join(':')).digest('base64');
  return `v1_${hash.replace(/=+$/, '')}`;
}

function checkSignature({ headers, query }, token, operation) {
  const given = headers['x-access-token'];
  if (token === null || given === token) return;
  if (given !== undefined) fail(401, 'access token present in header but does not match');
  const signature = query.get('signature');
  if (signature === null) fail(401, 'missing signature query parameter');
  const expiration = query.get('signature_expiration');
  const expected = signatureOf({ path: query.get('path') ?? '', operation,
    user: query.get('username') ?? '', token, expiration });
  if (signature !== expected) fail(401, 'invalid signature');
  if (expiration !== null && Number(expiration) < Math.floor(Date.now() / 1000)) {
    fail(401, 'signature is already expired');
  }
}

// Weighted as the header has it: [{ name, weight }], the best first.
function readEncodings(header) {
  return (header ?? '').toLowerCase().split(',').map((item) => {
    const [name, ...rest] = item.split(';').map((part) => part.trim());
    const weight = rest.find((part) => part.startsWith('q='));
    return { name, weight: weight === undefined ? 1 : Number(weight.slice(2)) };
  }).filter(({ name }) => name !== '').sort((a, b) => b.weight - a.weight);
}

function isIdentityRefused(encodings) {
  const weightOf = (name) => encodings.find((one) => one.name === name)?.weight;
  return weightOf('identity') === 0 || (weightOf('*') === 0 && !(weightOf('identity') > 0));
}

function chooseEncoding(headers, mustBePlain) {
  const encodings = readEncodings(headers['accept-encoding']);
  const isRefused = isIdentityRefused(encodings);
  if (mustBePlain) {
    if (isRefused) fail(406, 'identity encoding not acceptable for Range or conditional request');
    return 'identity';
  }
  for (const { name, weight } of encodings) {
    if (weight === 0) continue;
    if (name === 'identity' || (name === '*' && !isRefused)) return 'identity';
    if (name === 'gzip' || name === '*') return 'gzip';
  }
  if (isRefused) {
    fail(406, 'error parsing Accept-Encoding: no acceptable encoding found, supported: [gzip]');
  }
  return 'identity';
}

// The bytes that a Range header asks for as { from, to }: all of them, or null if there are none.
function readRange(header, size) {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return { from: 0, to: size - 1 };
  const [, first, last] = match;
  if (first === '') {
    return last === '0' ? null : { from: Math.max(0, size - Number(last)), to: size - 1 };
  }
  const to = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return Number(first) >= size || Number(first) > to ? null : { from: Number(first), to };
}

async function send(reply, stream) {
  for await (const chunk of stream) {
    if (reply.isClosed) break;
    reply.write(chunk, 'data');
    if (reply.isFull()) await reply.drained();
  }
  reply.end();
}

async function sendWhole(call, stat, place, headers) {
  const mtime = stat.mtime.toUTCString();
  const isSame = call.headers['if-modified-since'] === mtime;
  if (isSame && call.headers.range === undefined) {
    call.reply.head(304, { 'Last-Modified': mtime });
    call.reply.end();
    return;
  }
  const ifRange = call.headers['if-range'];
  const asked = ifRange === undefined || ifRange === mtime ? call.headers.range : undefined;
  const range = readRange(asked, stat.size);
  const shared = { ...headers, 'Accept-Ranges': 'bytes', 'Last-Modified': mtime };
  if (range === null) {
    call.reply.head(416, { ...shared, 'Content-Type': 'text/plain; charset=utf-8',
      'Content-Range': `bytes */${stat.size}` });
    call.reply.end(Buffer.from('invalid range: failed to overlap\n'));
    return;
  }
  const { from, to } = range;
  const length = to - from + 1;
  const isPart = asked !== undefined && /^bytes=\d*-\d*$/.test(asked);
  if (isPart) shared['Content-Range'] = `bytes ${from}-${to}/${stat.size}`;
  call.reply.head(isPart ? 206 : 200, { ...shared, 'Content-Length': length });
  await send(call.reply, length === 0 ? [] : createReadStream(place, { start: from, end: to }));
}

export class Files {
  #host;

  // host: { version, homes, workdir, metadata, token, defaultUser } of the envd.
  constructor(host) {
    this.#host = host;
  }

  // GET and POST /files, POST /files/compose; false for anything else.
  async handle(call) {
    const run = { 'GET /files': this.#download, 'POST /files': this.#upload,
      'POST /files/compose': this.#compose }[`${call.method} ${call.path}`];
    if (run === undefined) return false;
    try {
      await run.call(this, call);
    } catch (error) {
      answerError(call.reply, error.status ?? 500, error.message);
    }
    return true;
  }

  #userOf(name) {
    const user = name ?? this.#host.defaultUser;
    if (user === undefined) fail(400, 'username not provided');
    if (!this.#host.homes.has(user)) {
      fail(401, `error looking up user '${user}': user: unknown user ${user}`);
    }
    return user;
  }

  #resolve(path, user) {
    try {
      return this.#host.homes.resolve(path, user, this.#host.workdir);
    } catch (error) {
      return fail(400, `error resolving path: ${error.message}`);
    }
  }

  async #download(call) {
    checkSignature(call, this.#host.token, 'read');
    const user = this.#userOf(call.query.get('username') ?? undefined);
    const place = this.#resolve(call.query.get('path') ?? '', user);
    const stat = statSync(place, { throwIfNoEntry: false });
    if (stat === undefined) fail(404, `path '${place}' does not exist`);
    if (stat.isDirectory()) fail(400, `path '${place}' is a directory`);
    if (!stat.isFile()) fail(400, `path '${place}' is not a regular file`);
    const isSpecial = ['range', 'if-modified-since', 'if-none-match', 'if-range']
      .some((name) => call.headers[name] !== undefined);
    const encoding = chooseEncoding(call.headers, isSpecial);
    const headers = { Vary: 'Accept-Encoding', 'Content-Type': 'application/octet-stream',
      'Content-Disposition': `inline; filename=${JSON.stringify(basename(place))}` };
    if (encoding === 'identity') {
      await sendWhole(call, stat, place, headers);
      return;
    }
    call.reply.head(200, { ...headers, 'Content-Encoding': 'gzip' });
    await send(call.reply, pipeline(createReadStream(place), createGzip(), () => {}));
  }

  #bodyOf({ headers, body }) {
    const encoding = (headers['content-encoding'] ?? 'identity').toLowerCase();
    if (encoding === 'identity') return body;
    if (encoding === 'gzip') return pipeline(Readable.from(body), createGunzip(), () => {});
    return fail(400, 'error decompressing request body: unsupported Content-Encoding: ' +
      `${encoding}, supported: [gzip]`);
  }

  async #upload(call) {
    checkSignature(call, this.#host.token, 'write');
    const user = this.#userOf(call.query.get('username') ?? undefined);
    const body = this.#bodyOf(call);
    const words = can(this.#host.version, 'metadata') ? metadataOf(call.headers) : {};
    const type = call.headers['content-type'] ?? '';
    let stored;
    if (/^application\/octet-stream\b/i.test(type) && can(this.#host.version, 'octetStream')) {
      stored = [await this.#storeRaw(call, body, user, words)];
    } else if (/^multipart\//i.test(type)) {
      stored = await this.#storeParts(call, body, user, words);
    } else if (!can(this.#host.version, 'octetStream')) {
      fail(500, `error parsing multipart form: request Content-Type isn't multipart/form-data`);
    } else {
      fail(400, `unsupported content type: ${type}, ` +
        'expected multipart/form-data or application/octet-stream');
    }
    answerJson(call.reply, 200, stored);
  }

  async #storeRaw(call, body, user, words) {
    const path = call.query.get('path');
    if (path === null) fail(400, 'path query parameter is required for raw body upload');
    return this.#store(this.#resolve(path, user), body, words);
  }

  async #storeParts(call, body, user, words) {
    const boundary = boundaryOf(call.headers['content-type']);
    if (boundary === null) {
      fail(500, 'error parsing multipart form: no multipart boundary param in Content-Type');
    }
    const stored = [];
    for await (const part of new MultipartReader(body, boundary).parts()) {
      if (part.name !== 'file') continue;
      const place = this.#resolve(call.query.get('path') ?? part.filename ?? '', user);
      if (stored.some(({ path }) => path === place)) {
        fail(400, `error resolving path: you cannot upload multiple files to the same path ` +
          `'${place}' in one upload request, only the first specified file was uploaded`);
      }
      stored.push(await this.#store(place, part.content, words));
    }
    return stored;
  }

  async #store(place, chunks, words) {
    try {
      ensureDirectory(dirname(place));
    } catch (error) {
      fail(500, `error ensuring directories: ${error.message}`);
    }
    if (statSync(place, { throwIfNoEntry: false })?.isDirectory()) {
      fail(400, `path is a directory: ${place}`);
    }
    let fd = -1;
    try {
      fd = openSync(place, 'w', 0o666);
      for await (const chunk of chunks) {
        for (let at = 0; at < chunk.length;) at += writeSync(fd, chunk, at);
      }
    } catch (error) {
      if (error.code === 'ENOSPC') fail(507, 'not enough disk space available');
      fail(500, `error ${fd < 0 ? 'opening' : 'writing'} file: ${error.message}`);
    } finally {
      if (fd >= 0) closeSync(fd);
    }
    this.#host.metadata.set(place, words);
    const kept = Object.keys(words).length === 0 ? {} : { metadata: words };
    return { path: place, name: basename(place), type: 'file', ...kept };
  }

  async #compose(call) {
    const order = await readOrder(call.body);
    const user = this.#userOf(order.username);
    const place = this.#resolve(order.destination, user);
    const sources = order.source_paths.map((path) => this.#sourceOf(path, user, place));
    const partial = `${place}.e2b-compose.${process.pid}.${Date.now()}.tmp`;
    try {
      await this.#store(partial, concatenated(sources), {});
      renameSync(partial, place);
    } catch (error) {
      rmSync(partial, { force: true });
      throw error;
    }
    for (const source of sources) rmSync(source, { force: true });
    answerJson(call.reply, 200, { path: place, name: basename(place), type: 'file' });
  }

  #sourceOf(path, user, destination) {
    const source = this.#resolve(path, user);
    if (source === destination) {
      fail(400, `source path "${path}" cannot be the same as destination`);
    }
    const stat = statSync(source, { throwIfNoEntry: false });
    if (stat === undefined) fail(404, `source file not found: ${path}`);
    if (!stat.isFile()) fail(400, `source path is not a regular file: ${path}`);
    return source;
  }
}

async function readOrder(body) {
  const list = [];
  for await (const chunk of body) list.push(chunk);
  let order;
  try {
    order = JSON.parse(Buffer.concat(list).toString());
  } catch (error) {
    fail(400, `invalid request body: ${error.message}`);
  }
  if (!Array.isArray(order?.source_paths) || order.source_paths.length === 0) {
    fail(400, 'source_paths must not be empty');
  }
  if (!order.destination) fail(400, 'destination is required');
  return order;
}

async function* concatenated(paths) {
  for (const path of paths) yield* createReadStream(path);
}
