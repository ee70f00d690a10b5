// The Connect protocol: content types, errors, envelopes and compression. It knows no method and
// no message; proto.js and json.js do the encoding.

import { promisify } from 'node:util';
import { gunzip, gzipSync } from 'node:zlib';

import { fromJson, toJson } from './json.js';
import { decode, encodeParts } from './proto.js';

const inflate = promisify(gunzip);

const FLAG_COMPRESSED = 1;
const FLAG_END = 2;
const HEADER_BYTES = 5;
const STATUS = {
  canceled: 499, unknown: 500, invalid_argument: 400, deadline_exceeded: 504, not_found: 404,
  already_exists: 409, permission_denied: 403, resource_exhausted: 429, failed_precondition: 400,
  aborted: 409, out_of_range: 400, unimplemented: 501, internal: 500, unavailable: 503,
  data_loss: 500, unauthenticated: 401,
};

export class ConnectError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }

  get status() {
    return STATUS[this.code];
  }

  toJSON() {
    return { code: this.code, message: this.message };
  }
}

// What is no ConnectError is a mistake of ours, and says so.
export function asConnectError(error) {
  if (error instanceof ConnectError) return error;
  return new ConnectError('unknown', error.message);
}

const jsonCodec = {
  name: 'json',
  encode(type, message) {
    const bytes = Buffer.from(JSON.stringify(toJson(type, message)));
    return { list: [bytes], length: bytes.length };
  },
  decode(type, bytes) {
    return fromJson(type, bytes.length === 0 ? {} : JSON.parse(bytes.toString()));
  },
};

const protoCodec = { name: 'proto', encode: encodeParts, decode };

const TYPES = {
  'application/json': { codec: jsonCodec, isStream: false },
  'application/proto': { codec: protoCodec, isStream: false },
  'application/connect+json': { codec: jsonCodec, isStream: true },
  'application/connect+proto': { codec: protoCodec, isStream: true },
};

// { codec, isStream, name } of a content type, or null.
export function readContentType(header, isJsonOnly) {
  const [name, ...parameters] = (header ?? '').toLowerCase().split(';').map((part) => part.trim());
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : null;
  if (type === null || (isJsonOnly && type.codec === protoCodec)) return null;
  if (parameters.some((part) => part !== 'charset=utf-8')) return null;
  return { ...type, name };
}

export function acceptedTypes(isStream, isJsonOnly) {
  return Object.keys(TYPES).filter((name) => TYPES[name].isStream === isStream &&
    !(isJsonOnly && TYPES[name].codec === protoCodec)).join(', ');
}

export function decodeMessage(codec, type, bytes) {
  try {
    return codec.decode(type, bytes);
  } catch (error) {
    throw new ConnectError('invalid_argument', `unmarshal message: ${error.message}`);
  }
}

export async function decompress(bytes, encoding) {
  if (encoding === undefined || encoding === '' || encoding === 'identity') return bytes;
  if (encoding !== 'gzip') {
    throw new ConnectError('unimplemented',
      `unknown compression ${JSON.stringify(encoding)}: supported encodings are gzip`);
  }
  try {
    return await inflate(bytes);
  } catch (error) {
    throw new ConnectError('invalid_argument', `decompress: ${error.message}`);
  }
}

export function envelope(flags, { list, length }) {
  const header = Buffer.alloc(HEADER_BYTES);
  header[0] = flags;
  header.writeUInt32BE(length, 1);
  return [header, ...list];
}

// The envelopes of a body as { flags, bytes }; ends where the body does.
export async function* readEnvelopes(chunks) {
  let held = [];
  let size = 0;
  let need = HEADER_BYTES;
  for await (const chunk of chunks) {
    held.push(chunk);
    size += chunk.length;
    while (size >= need) {
      const all = Buffer.concat(held);
      need = HEADER_BYTES + (all.length < HEADER_BYTES ? 0 : all.readUInt32BE(1));
      held = [all];
      if (all.length < need) break;
      yield { flags: all[0], bytes: all.subarray(HEADER_BYTES, need) };
      held = [all.subarray(need)];
      size -= need;
      need = HEADER_BYTES;
    }
  }
  if (size > 0) {
    throw new ConnectError('invalid_argument', 'protocol error: incomplete envelope: EOF');
  }
}

export async function* readMessages(chunks, { codec, type, encoding }) {
  for await (const { flags, bytes } of readEnvelopes(chunks)) {
    const whole = flags & FLAG_COMPRESSED ? await decompress(bytes, encoding ?? '') : bytes;
    if ((flags & FLAG_END) === 0) yield decodeMessage(codec, type, whole);
  }
}

// The answer of a stream: messages, then one end, which carries the error if there is one.
export class StreamWriter {
  #reply;
  #codec;
  #type;
  #isGzip;
  #alter;

  // alter: the faults of that kind.
  constructor(reply, { codec, type, isGzip, alter }) {
    this.#reply = reply;
    this.#codec = codec;
    this.#type = type;
    this.#isGzip = isGzip;
    this.#alter = alter;
  }

  get isClosed() {
    return this.#reply.isClosed;
  }

  isFull() {
    return this.#reply.isFull();
  }

  onDrain(call) {
    this.#reply.onDrain(call);
  }

  onClose(call) {
    this.#reply.onClose(call);
  }

  open() {
    const compression = this.#isGzip ? { 'Connect-Content-Encoding': 'gzip' } : {};
    this.#reply.head(200, { 'Content-Type': `application/connect+${this.#codec.name}`,
      'Connect-Accept-Encoding': 'gzip', ...compression });
  }

  send(message) {
    const holder = message.event ?? message;
    const kind = Object.keys(holder)[0];
    if (this.#alter.some(({ drop }) => drop.includes(kind))) return;
    let changed = message;
    for (const { end } of this.#alter) {
      if (kind === 'end' && end !== undefined) {
        changed = { event: { end: { ...changed.event.end, ...end } } };
      }
    }
    this.#write(0, this.#codec.encode(this.#type, changed), kind);
  }

  finish(error = null) {
    const altered = this.#alter.find(({ trailer }) => trailer !== undefined);
    const trailer = altered === undefined ? (error === null ? {} : { error }) : altered.trailer;
    if (!this.#reply.isStarted) this.open();
    if (trailer !== null) {
      const bytes = Buffer.from(JSON.stringify(trailer));
      this.#write(FLAG_END, { list: [bytes], length: bytes.length }, 'trailer');
    }
    this.#reply.end();
  }

  #write(flags, parts, kind) {
    const extra = this.#alter.find((one) => one.flags !== undefined)?.flags ?? 0;
    if (!this.#isGzip || parts.length === 0) {
      this.#reply.write(envelope(flags | extra, parts), kind);
      return;
    }
    const zipped = gzipSync(Buffer.concat(parts.list));
    this.#reply.write(envelope(flags | extra | FLAG_COMPRESSED,
      { list: [zipped], length: zipped.length }), kind);
  }
}
