// From a request to a method of a service and back: what every method shares, for both kinds of
// content type. The methods themselves are process.js and filesystem.js.

import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import { ConnectError, StreamWriter, acceptedTypes, asConnectError, decodeMessage, decompress,
  readContentType, readMessages } from './connect.js';

const METHOD_OF = /^\/((?:process\.Process|filesystem\.Filesystem)\/(\w+))$/;
const TIMEOUT_MAX_DIGITS = 10;

// unary, server (one message in, a stream out) or client (a stream in, one message out).
const SHAPES = { 'process.Process/Start': 'server', 'process.Process/Connect': 'server',
  'process.Process/StreamInput': 'client', 'filesystem.Filesystem/WatchDir': 'server' };

export function rpcOf(path) {
  return METHOD_OF.exec(path)?.[2];
}

// How long the client gives it in milliseconds, or null.
function readTimeout(headers) {
  const text = headers['connect-timeout-ms'];
  if (text === undefined || text === '') return null;
  if (!/^\d+$/.test(text) || text.length > TIMEOUT_MAX_DIGITS) {
    throw new ConnectError('invalid_argument',
      `protocol error: invalid timeout ${JSON.stringify(text)}`);
  }
  return Number(text);
}

async function readAll(chunks) {
  const list = [];
  for await (const chunk of chunks) list.push(chunk);
  return Buffer.concat(list);
}

// A method that takes longer than the client wants goes on; its answer is not waited for.
async function withinTimeout(promise, ms) {
  if (ms === null) return promise;
  const late = new AbortController();
  try {
    return await Promise.race([promise, sleep(ms, null, { signal: late.signal }).then(() => {
      throw new ConnectError('deadline_exceeded', 'context deadline exceeded');
    })]);
  } finally {
    late.abort();
  }
}

function answerUnary(call, codec, type, message) {
  const { list, length } = codec.encode(type, message);
  const headers = { 'Content-Type': `application/${codec.name}`, 'Accept-Encoding': 'gzip' };
  let bytes = Buffer.concat(list, length);
  if (/\bgzip\b/.test(call.headers['accept-encoding'] ?? '') && bytes.length > 0) {
    bytes = gzipSync(bytes);
    headers['Content-Encoding'] = 'gzip';
  }
  call.reply.head(200, { ...headers, 'Content-Length': bytes.length });
  call.reply.end(bytes);
}

function answerUnaryError(reply, error) {
  const bytes = Buffer.from(JSON.stringify(asConnectError(error)));
  reply.head(asConnectError(error).status,
    { 'Content-Type': 'application/json', 'Content-Length': bytes.length });
  reply.end(bytes);
}

async function callUnary(method, call, codec) {
  try {
    const timeout = readTimeout(call.headers);
    const body = await decompress(await readAll(call.body), call.headers['content-encoding']);
    const message = decodeMessage(codec, `${method.type}Request`, body);
    const answer = await withinTimeout(method.run(message, call), timeout);
    answerUnary(call, codec, `${method.type}Response`, answer);
  } catch (error) {
    answerUnaryError(call.reply, error);
  }
}

function newWriter(method, call, codec) {
  return new StreamWriter(call.reply, { codec, type: `${method.type}Response`,
    isGzip: /\bgzip\b/.test(call.headers['connect-accept-encoding'] ?? ''),
    alter: call.faults.filter(({ kind }) => kind === 'alter') });
}

function requestMessages(method, call, codec) {
  return readMessages(call.body, { codec, type: `${method.type}Request`,
    encoding: call.headers['connect-content-encoding'] });
}

async function readOne(messages) {
  const { value, done } = await messages.next();
  if (done) throw new ConnectError('unimplemented', 'unary request has zero messages');
  if (!(await messages.next()).done) {
    throw new ConnectError('unimplemented', 'unary request has multiple messages');
  }
  return value;
}

// The writer ends once: by the method, its error, or the time that the client gave.
async function callServerStream(method, call, codec) {
  const writer = newWriter(method, call, codec);
  try {
    const timeoutMs = readTimeout(call.headers);
    const message = await readOne(requestMessages(method, call, codec));
    await withinTimeout(method.run(message, { ...call, timeoutMs }, writer), timeoutMs);
    writer.finish();
  } catch (error) {
    writer.finish(asConnectError(error));
  }
}

async function callClientStream(method, call, codec) {
  const writer = newWriter(method, call, codec);
  try {
    const answer = await method.run(requestMessages(method, call, codec), call);
    writer.open();
    writer.send(answer);
    writer.finish();
  } catch (error) {
    writer.finish(asConnectError(error));
  }
}

function answerPlain(reply, status, headers, text = '') {
  reply.head(status, headers);
  reply.end(Buffer.from(text));
}

const CALLERS = { unary: callUnary, server: callServerStream, client: callClientStream };

// call: { method, path, headers, body, reply, faults, identify }; methods: a path without its
// slash -> async function. False where no method has this path.
export async function callMethod(methods, call, isJsonOnly) {
  const name = METHOD_OF.exec(call.path)?.[1];
  if (name === undefined || methods[name] === undefined) return false;
  const shape = SHAPES[name] ?? 'unary';
  if (call.method !== 'POST') {
    answerPlain(call.reply, 405, { Allow: 'POST' });
    return true;
  }
  const content = readContentType(call.headers['content-type'], isJsonOnly);
  if (content === null || content.isStream !== (shape !== 'unary')) {
    answerPlain(call.reply, 415, { 'Accept-Post': acceptedTypes(shape !== 'unary', isJsonOnly) });
    return true;
  }
  const method = { type: name.replace(/\.\w+\//, '.'), async run(message, its, writer) {
    return methods[name](message, { ...its, user: its.identify() }, writer);
  } };
  await CALLERS[shape](method, call, content.codec);
  return true;
}
