// The JSON form of a message, by the tables of messages.js: zeros left out, bytes in base64, int64
// in quotes, enums by their words. See proto.js for the shape inside.

import { enums, messages } from './messages.js';

const GIGA = 1000000000n;

function timestampText(nanos) {
  const seconds = new Date(Number(nanos / GIGA) * 1000).toISOString().slice(0, 19);
  const fraction = String(nanos % GIGA).padStart(9, '0').replace(/(000)+$/, '');
  return fraction === '' ? `${seconds}Z` : `${seconds}.${fraction}Z`;
}

function valueToJson(field, value) {
  switch (field.kind) {
    case 'bytes': return value.toString('base64');
    case 'int64': return String(value);
    case 'timestamp': return timestampText(value);
    case 'message': return toJson(field.type, value);
    default: return value;
  }
}

function isLeftOut(field, value) {
  if (value === undefined || value === null) return true;
  if (field.repeated) return value.length === 0;
  if (field.kind === 'map') return Object.keys(value).length === 0;
  if (field.present || field.kind === 'message' || field.kind === 'timestamp') return false;
  if (field.kind === 'enum') return enums.get(field.type)[value] === 0;
  return value === 0 || value === 0n || value === '' || value === false || value.length === 0;
}

export function toJson(type, message) {
  const json = {};
  for (const field of messages.get(type)) {
    const value = message[field.name];
    if (isLeftOut(field, value)) continue;
    if (field.repeated) json[field.name] = value.map((one) => valueToJson(field, one));
    else json[field.name] = valueToJson(field, value);
  }
  return json;
}

function refuse(field, value) {
  const text = JSON.stringify(value) ?? String(value);
  throw new Error(`invalid value for ${field.type} field ${field.name}: ${text.slice(0, 60)}`);
}

function integerFromJson(field, value, least, most) {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (!Number.isInteger(number) || number < least || number > most) refuse(field, value);
  return number;
}

// Standard or url-safe, padded or not.
function bytesFromJson(field, value) {
  if (typeof value !== 'string' || !/^[\w+/-]*={0,2}$/.test(value)) refuse(field, value);
  return Buffer.from(value, 'base64');
}

function enumFromJson(field, value) {
  const words = enums.get(field.type);
  if (typeof value === 'string' && Object.hasOwn(words, value)) return value;
  if (!Number.isInteger(value)) refuse(field, value);
  return Object.keys(words).find((word) => words[word] === value) ?? value;
}

function mapFromJson(field, value) {
  if (typeof value !== 'object' || Array.isArray(value)) refuse(field, value);
  for (const text of Object.values(value)) if (typeof text !== 'string') refuse(field, text);
  return value;
}

function valueFromJson(field, value) {
  switch (field.kind) {
    case 'string': return typeof value === 'string' ? value : refuse(field, value);
    case 'bool': return typeof value === 'boolean' ? value : refuse(field, value);
    case 'bytes': return bytesFromJson(field, value);
    case 'uint32': return integerFromJson(field, value, 0, 0xffffffff);
    case 'sint32': return integerFromJson(field, value, -0x80000000, 0x7fffffff);
    case 'int64': return BigInt(integerFromJson(field, value, -(2 ** 63), 2 ** 63));
    case 'timestamp': return BigInt(Date.parse(value)) * 1000000n;
    case 'enum': return enumFromJson(field, value);
    case 'map': return mapFromJson(field, value);
    default: return fromJson(field.type, value);
  }
}

const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

// Unknown fields go by, null is absence, and a field may have its name of the .proto file.
export function fromJson(type, json) {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new Error(`unexpected token ${JSON.stringify(json).slice(0, 60)}, expected an object`);
  }
  const message = {};
  const chosen = new Set();
  for (const field of messages.get(type)) {
    const value = json[field.name] ?? json[snake(field.name)];
    if (value === undefined || value === null) continue;
    if (field.oneof !== '' && chosen.has(field.oneof)) {
      throw new Error(`error parsing ${field.name}, oneof ${field.oneof} is already set`);
    }
    chosen.add(field.oneof);
    if (!field.repeated) message[field.name] = valueFromJson(field, value);
    else if (Array.isArray(value)) {
      message[field.name] = value.map((one) => valueFromJson(field, one));
    } else refuse(field, value);
  }
  return message;
}
