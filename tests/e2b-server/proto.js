// The binary form of a message, by the tables of messages.js. A message is a plain object with the
// names of its JSON form: bytes are Buffers, enums their words, int64 a BigInt, a timestamp the
// nanoseconds since 1970 as a BigInt. Recursion is as deep as the tables, which have no cycles.

import { enums, messages } from './messages.js';

const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;
const GIGA = 1000000000n;

function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

// Sizes and tags are small: no BigInt for them.
function smallVarint(value) {
  const bytes = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

const zigzag = (value) => (value < 0 ? -2 * value - 1 : 2 * value);
const unzigzag = (value) => (value % 2 === 1 ? -(value + 1) / 2 : value / 2);

function isZero(field, value) {
  if (value === undefined || value === null) return true;
  if (field.present || field.kind === 'message' || field.kind === 'timestamp') return false;
  if (field.kind === 'bytes') return value.length === 0;
  if (field.kind === 'enum') return enums.get(field.type)[value] === 0;
  return value === 0 || value === 0n || value === '' || value === false;
}

// Whole parts instead of copies: a chunk of output goes through three messages.
class Parts {
  list = [];
  length = 0;

  add(part) {
    this.list.push(part);
    this.length += part.length;
  }

  addField(number, wire, content) {
    this.add(smallVarint(number * 8 + wire));
    if (wire === LENGTH) this.add(smallVarint(content.length));
    if (content instanceof Parts) content.list.forEach((part) => this.add(part));
    else this.add(content);
  }
}

function timestampParts(nanos) {
  const parts = new Parts();
  const seconds = nanos / GIGA;
  if (seconds !== 0n) parts.addField(1, VARINT, varint(seconds));
  if (nanos % GIGA !== 0n) parts.addField(2, VARINT, varint(nanos % GIGA));
  return parts;
}

function addEntry(parts, field, key, value) {
  const entry = new Parts();
  entry.addField(1, LENGTH, Buffer.from(key));
  entry.addField(2, LENGTH, Buffer.from(value));
  parts.addField(field.number, LENGTH, entry);
}

function addValue(parts, field, value) {
  switch (field.kind) {
    case 'string': return parts.addField(field.number, LENGTH, Buffer.from(value));
    case 'bytes': return parts.addField(field.number, LENGTH, value);
    case 'bool': return parts.addField(field.number, VARINT, smallVarint(value ? 1 : 0));
    case 'uint32': return parts.addField(field.number, VARINT, smallVarint(value));
    case 'sint32': return parts.addField(field.number, VARINT, smallVarint(zigzag(value)));
    case 'int64': return parts.addField(field.number, VARINT, varint(value));
    case 'enum':
      return parts.addField(field.number, VARINT, smallVarint(enums.get(field.type)[value]));
    case 'timestamp': return parts.addField(field.number, LENGTH, timestampParts(value));
    default: return parts.addField(field.number, LENGTH, messageParts(field.type, value));
  }
}

function messageParts(type, message) {
  const parts = new Parts();
  for (const field of messages.get(type)) {
    const value = message[field.name];
    if (field.kind === 'map') {
      for (const [key, text] of Object.entries(value ?? {})) addEntry(parts, field, key, text);
    } else if (field.repeated) {
      for (const one of value ?? []) addValue(parts, field, one);
    } else if (!isZero(field, value)) {
      addValue(parts, field, value);
    }
  }
  return parts;
}

// The message as a list of buffers and their sum.
export function encodeParts(type, message) {
  const { list, length } = messageParts(type, message);
  return { list, length };
}

export function encode(type, message) {
  const { list, length } = messageParts(type, message);
  return Buffer.concat(list, length);
}

class Reader {
  at = 0;

  constructor(bytes) {
    this.bytes = bytes;
  }

  get isDone() {
    return this.at >= this.bytes.length;
  }

  big() {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (this.isDone) throw new Error('unexpected EOF');
      const byte = this.bytes[this.at];
      this.at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new Error('variable length integer overflow');
  }

  small() {
    return Number(BigInt.asUintN(32, this.big()));
  }

  take(length) {
    const end = this.at + length;
    if (end > this.bytes.length) throw new Error('unexpected EOF');
    const slice = this.bytes.subarray(this.at, end);
    this.at = end;
    return slice;
  }

  sized() {
    return this.take(this.small());
  }

  skip(wire) {
    if (wire === VARINT) this.big();
    else if (wire === FIXED64) this.take(8);
    else if (wire === LENGTH) this.sized();
    else if (wire === FIXED32) this.take(4);
    else throw new Error(`cannot parse invalid wire-format data (wire type ${wire})`);
  }
}

const WIRES = { string: LENGTH, bytes: LENGTH, message: LENGTH, map: LENGTH, timestamp: LENGTH };

function decodeEntry(bytes) {
  const reader = new Reader(bytes);
  const pair = ['', '', ''];
  while (!reader.isDone) {
    const tag = reader.small();
    if (tag % 8 === LENGTH && (tag >> 3 === 1 || tag >> 3 === 2)) {
      pair[tag >> 3] = reader.sized().toString();
    } else {
      reader.skip(tag % 8);
    }
  }
  return pair.slice(1);
}

function decodeTimestamp(bytes) {
  const reader = new Reader(bytes);
  const sums = [0n, 0n, 0n];
  while (!reader.isDone) {
    const tag = reader.small();
    if (tag % 8 === VARINT && tag >> 3 <= 2) sums[tag >> 3] = BigInt.asIntN(64, reader.big());
    else reader.skip(tag % 8);
  }
  return sums[1] * GIGA + sums[2];
}

function enumWord(type, number) {
  const found = Object.entries(enums.get(type)).find(([, value]) => value === number);
  return found === undefined ? number : found[0];
}

function decodeValue(reader, field) {
  switch (field.kind) {
    case 'string': return reader.sized().toString();
    case 'bytes': return reader.sized();
    case 'bool': return reader.big() !== 0n;
    case 'uint32': return reader.small();
    case 'sint32': return unzigzag(reader.small());
    case 'int64': return BigInt.asIntN(64, reader.big());
    case 'enum': return enumWord(field.type, reader.small());
    case 'timestamp': return decodeTimestamp(reader.sized());
    case 'map': return decodeEntry(reader.sized());
    default: return decode(field.type, reader.sized());
  }
}

function setField(message, fields, field, value) {
  if (field.kind === 'map') {
    message[field.name] ??= {};
    message[field.name][value[0]] = value[1];
    return;
  }
  if (field.repeated) {
    message[field.name] ??= [];
    message[field.name].push(value);
    return;
  }
  for (const other of fields) {
    if (field.oneof !== '' && other.oneof === field.oneof) delete message[other.name];
  }
  message[field.name] = value;
}

// Unknown fields go by. Throws where the bytes are no message.
export function decode(type, bytes) {
  const fields = messages.get(type);
  const reader = new Reader(bytes);
  const message = {};
  while (!reader.isDone) {
    const tag = reader.small();
    const field = fields.find((one) => one.number === tag >>> 3);
    if (field === undefined || (WIRES[field.kind] ?? VARINT) !== tag % 8) reader.skip(tag % 8);
    else setField(message, fields, field, decodeValue(reader, field));
  }
  return message;
}
