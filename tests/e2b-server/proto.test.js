// The codec: bytes that were worked out by hand, both forms of every message, and the tables
// against the descriptors that E2B's own client carries.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { fromJson, toJson } from './json.js';
import { enums, messages } from './messages.js';
import { decode, encode } from './proto.js';

const hex = (text) => Buffer.from(text.replace(/\s+/g, ''), 'hex');

// Worked out by hand from the encoding of protocol buffers.
const GOLDEN = [
  ['process.ListRequest', {}, '', {}],
  ['process.StartResponse', { event: { start: { pid: 300 } } }, '0a 05 0a 03 08 ac 02',
    { event: { start: { pid: 300 } } }],
  ['process.StartResponse', { event: { data: { stdout: Buffer.from('hi') } } },
    '0a 06 12 04 0a 02 68 69', { event: { data: { stdout: 'aGk=' } } }],
  ['process.StartResponse', { event: { data: { stderr: Buffer.alloc(0) } } },
    '0a 04 12 02 12 00', { event: { data: { stderr: '' } } }],
  ['process.StartResponse', { event: { keepalive: {} } }, '0a 02 22 00',
    { event: { keepalive: {} } }],
  ['process.StartResponse', { event: { end: { exitCode: -1, status: 'x', error: '' } } },
    '0a 09 1a 07 08 01 1a 01 78 22 00',
    { event: { end: { exitCode: -1, status: 'x', error: '' } } }],
  ['process.StartResponse', { event: { end: { exitCode: 3, exited: true } } },
    '0a 06 1a 04 08 06 10 01', { event: { end: { exitCode: 3, exited: true } } }],
  ['process.SendSignalRequest', { process: { pid: 0 }, signal: 'SIGNAL_SIGTERM' },
    '0a 02 08 00 10 0f', { process: { pid: 0 }, signal: 'SIGNAL_SIGTERM' }],
  ['process.SendInputRequest', { process: { tag: 't' }, input: { pty: Buffer.from([255]) } },
    '0a 03 12 01 74 12 03 12 01 ff', { process: { tag: 't' }, input: { pty: '/w==' } }],
  ['process.StartRequest', { process: { cmd: 'a', args: ['', 'b'], envs: { K: 'v' } },
    stdin: false }, '0a 10 0a 01 61 12 00 12 01 62 1a 06 0a 01 4b 12 01 76 20 00',
  { process: { cmd: 'a', args: ['', 'b'], envs: { K: 'v' } }, stdin: false }],
  ['filesystem.StatResponse', { entry: { type: 'FILE_TYPE_DIRECTORY', size: 4294967296n,
    modifiedTime: 1500000000123000000n } },
  '0a 15 10 02 20 80 80 80 80 10 4a 0b 08 80 de a0 cb 05 10 c0 a9 d3 3a',
  { entry: { type: 'FILE_TYPE_DIRECTORY', size: '4294967296',
    modifiedTime: '2017-07-14T02:40:00.123Z' } }],
];

describe('golden', () => {
  for (const [type, message, bytes, json] of GOLDEN) {
    test(`${type} ${JSON.stringify(json)}`, () => {
      assert.equal(encode(type, message).toString('hex'), hex(bytes).toString('hex'));
      assert.deepEqual(decode(type, hex(bytes)), message);
      assert.deepEqual(toJson(type, message), json);
      assert.deepEqual(fromJson(type, json), message);
    });
  }
});

describe('what others may write', () => {
  test('unknown fields of every wire type go by', () => {
    const bytes = hex('08 07 f8 06 01 f9 06 0102030405060708 fa 06 02 6162 fd 06 01020304');
    assert.deepEqual(decode('process.ProcessSelector', bytes), { pid: 7 });
    assert.deepEqual(fromJson('process.ProcessSelector', { pid: 7, new: {} }), { pid: 7 });
  });

  test('of a oneof the last counts', () => {
    assert.deepEqual(decode('process.ProcessSelector', hex('08 07 12 01 74')), { tag: 't' });
    assert.throws(() => fromJson('process.ProcessSelector', { pid: 7, tag: 't' }), /oneof/);
  });

  test('bytes in every base64', () => {
    for (const text of ['++//', '--__', '/w==', '/w', '_w']) {
      const { input } = fromJson('process.SendInputRequest', { input: { stdin: text } });
      assert.deepEqual(input.stdin, Buffer.from(text, 'base64'));
    }
  });

  test('names of the .proto file, numbers for enums, numbers in quotes', () => {
    const request = fromJson('filesystem.WatchDirRequest', { include_entry: true });
    assert.deepEqual(request, { includeEntry: true });
    assert.deepEqual(fromJson('process.SendSignalRequest', { signal: 9, process: { pid: '12' } }),
      { signal: 'SIGNAL_SIGKILL', process: { pid: 12 } });
  });

  test('null is absence', () => assert.deepEqual(
    fromJson('process.StartRequest', { tag: null, process: null }), {}));

  test('what is no message', () => {
    for (const bytes of ['0a', '0a05', '0f', '08', '08ffffffffffffffffffff01']) {
      assert.throws(() => decode('process.SendSignalRequest', hex(bytes)), Error, bytes);
    }
    for (const json of [[], 1, 'x', { process: [] }, { process: { pid: -1 } },
      { process: { pid: 1.5 } }, { process: { tag: 1 } }, { signal: 'SIGNAL_NONE' }]) {
      assert.throws(() => fromJson('process.SendSignalRequest', json), Error, JSON.stringify(json));
    }
    assert.throws(() => fromJson('process.SendInputRequest', { input: { stdin: '*' } }));
    assert.throws(() => fromJson('process.StartRequest', { process: { envs: { A: 1 } } }));
    assert.throws(() => fromJson('process.StartRequest', { process: { args: 'x' } }));
  });
});

// The client's package carries the .proto files in their binary form, and a codec of its own.
const require = createRequire(import.meta.url);
const main = require.resolve('e2b');
const load = (name) => import(require.resolve(name, { paths: [main] }));
const wkt = await load('@bufbuild/protobuf/wkt');
const theirs = await load('@bufbuild/protobuf');

const camel = (name) => name.replace(/_(\w)/g, (all, letter) => letter.toUpperCase());

// They leave out the names of the JSON form, which follow from the others.
function nameFields(some) {
  for (const { field, nestedType } of some) {
    for (const one of field) one.jsonName = camel(one.name);
    nameFields(nestedType);
  }
}

function loadDescriptors() {
  const text = readFileSync(main, 'utf8');
  const files = [...text.matchAll(/fileDesc\)?\(\s*"([A-Za-z0-9+/]+)"/g)]
    .map(([, base64]) => Buffer.from(base64, 'base64'))
    .map((bytes) => theirs.fromBinary(wkt.FileDescriptorProtoSchema, bytes));
  for (const file of files) nameFields(file.messageType);
  return files;
}

// `name number type mark` of each field, as the descriptor has it.
function fieldsOf(descriptor) {
  const TYPES = { 3: 'int64', 8: 'bool', 9: 'string', 12: 'bytes', 13: 'uint32', 17: 'sint32' };
  const isMap = (field) => descriptor.nestedType.some((nested) =>
    nested.options?.mapEntry && field.typeName.endsWith(`.${nested.name}`));
  return descriptor.field.map((field) => {
    let type = TYPES[field.type] ?? field.typeName.slice(1);
    if (type === 'google.protobuf.Timestamp') type = 'timestamp';
    if (isMap(field)) type = 'map';
    const isRepeated = field.label === 3 && type !== 'map';
    const oneof = field.proto3Optional || !Object.hasOwn(field, 'oneofIndex') ? ''
      : descriptor.oneofDecl[field.oneofIndex].name;
    return { name: field.jsonName, number: field.number, type, isRepeated, oneof };
  });
}

function collect(file) {
  const all = new Map();
  const open = file.messageType.map((message) => [`${file.package}.${message.name}`, message]);
  while (open.length > 0) {
    const [name, message] = open.pop();
    if (message.options?.mapEntry) continue;
    all.set(name, message);
    for (const nested of message.nestedType) open.push([`${name}.${nested.name}`, nested]);
  }
  return all;
}

test('the tables are those of the official client', () => {
  const files = loadDescriptors();
  assert.deepEqual(files.map((file) => file.package).sort(), ['filesystem', 'process']);
  let compared = 0;
  for (const file of files) {
    for (const [name, descriptor] of collect(file)) {
      const ours = messages.get(name)?.map(({ name: field, number, type, repeated, oneof }) =>
        ({ name: field, number, type, isRepeated: repeated, oneof }));
      assert.deepEqual(ours, fieldsOf(descriptor), name);
      compared += 1;
    }
    for (const { name, value } of file.enumType) {
      const words = Object.fromEntries(value.map((one) => [one.name, one.number]));
      assert.deepEqual(enums.get(`${file.package}.${name}`), words, name);
    }
  }
  assert.equal(compared, messages.size);
});

test('the official codec reads and writes the same', () => {
  const file = [wkt.file_google_protobuf_timestamp.proto, ...loadDescriptors()];
  const registry = theirs.createFileRegistry(theirs.create(wkt.FileDescriptorSetSchema, { file }));
  for (const [type, message, bytes, json] of GOLDEN) {
    const schema = registry.getMessage(type);
    const read = theirs.fromBinary(schema, encode(type, message));
    assert.equal(Buffer.from(theirs.toBinary(schema, read)).toString('hex'),
      hex(bytes).toString('hex'), type);
    assert.deepEqual(theirs.toJson(schema, read), toJson(type, message), type);
    const bytesOfTheirs = theirs.toBinary(schema, theirs.fromJson(schema, json));
    assert.deepEqual(decode(type, Buffer.from(bytesOfTheirs)), message);
  }
});
