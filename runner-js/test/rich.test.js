import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import { newRich } from '../src/rich.js';

const rich = newRich(() => {});
const say = (value) => rich.toText(value);
const tripped = (value) => rich.fromText(say(value));
const refuses = (value, text) =>
  assert.throws(() => say(value), { name: 'TypeError', message: text });
const rejects = (text, message) =>
  assert.throws(() => rich.fromText(text), { name: 'TypeError', message });

test('what JSON has no word for comes back as it was', () => {
  for (const [value, text] of [
    [{ a: undefined }, '{"a":{"$errand":"undefined"}}'],
    [[NaN], '[{"$errand":"number","value":"NaN"}]'],
    [Infinity, '{"$errand":"number","value":"Infinity"}'],
    [-0, '{"$errand":"number","value":"-0"}'],
    [-Infinity, '{"$errand":"number","value":"-Infinity"}'],
    [12345678901234567890n, '{"$errand":"bigint","value":"12345678901234567890"}'],
    [-5n, '{"$errand":"bigint","value":"-5"}'],
    [new Date(5), '{"$errand":"date","value":5}'],
    [new Date(NaN), '{"$errand":"date","value":null}'],
    [/a\/"b/gi, '{"$errand":"regexp","source":"a\\\\/\\"b","flags":"gi"}'],
    [
      new Map([
        ['k', new Map()],
        [{ a: 1 }, [new Set([1])]],
      ]),
      '{"$errand":"map","entries":[["k",{"$errand":"map","entries":[]}],[{"a":1},' +
        '[{"$errand":"set","values":[1]}]]]}',
    ],
    [new Set([new Set(), 'x']), '{"$errand":"set","values":[{"$errand":"set","values":[]},"x"]}'],
    [{ $errand: 'date', value: 1 }, '{"$errand":"object","value":{"$errand":"date","value":1}}'],
    [
      { a: { $errand: { $errand: 1n } } },
      '{"a":{"$errand":"object","value":{"$errand":{"$errand":"object","value":' +
        '{"$errand":{"$errand":"bigint","value":"1"}}}}}}',
    ],
    [new Uint8Array([1, 2, 255]), '{"$errand":"bytes","type":"Uint8Array","base64":"AQL/"}'],
    [Buffer.from('hi'), '{"$errand":"bytes","type":"Buffer","base64":"aGk="}'],
    [new ArrayBuffer(1), '{"$errand":"bytes","type":"ArrayBuffer","base64":"AA=="}'],
    [
      new Uint16Array([1]).subarray(0, 1),
      '{"$errand":"bytes","type":"Uint16Array","base64":"AQA="}',
    ],
    [
      new DataView(new ArrayBuffer(4), 1, 2),
      '{"$errand":"bytes","type":"DataView","base64":"AAA="}',
    ],
    [[], '[]'],
    [{ a: [null, true, 'x'] }, '{"a":[null,true,"x"]}'],
  ]) {
    assert.equal(say(value), text);
    const back = rich.fromText(text);
    // Older nodes take no two invalid dates for equal.
    if (value instanceof Date) assert.equal(back.getTime(), value.getTime());
    else if (value instanceof DataView) assert.equal(back.byteLength, 2);
    else assert.deepStrictEqual(back, value, text);
  }
  assert.equal(say(undefined), undefined);
  assert.equal(rich.fromText('{"$errand":"undefined"}'), undefined);
});

test('every kind of typed array, of a part of its buffer too', () => {
  for (const name of ['Int8Array', 'Uint8ClampedArray', 'Int16Array', 'Int32Array', 'Uint32Array',
    'Float16Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array']) {
    const Kind = globalThis[name];
    if (Kind === undefined) {
      rejects(`[{"$errand":"bytes","type":"${name}","base64":""}]`,
        `$[0] is tagged "bytes", but it is of a type that this engine does not have, ${name}`);
      continue;
    }
    const whole = new Kind(name.startsWith('Big') ? [1n, 2n, 3n] : [1, 2, 3]);
    const part = whole.subarray(1, 3);
    assert.deepStrictEqual(tripped({ part }), { part: whole.slice(1, 3) });
  }
  const shared = new Uint8Array(new SharedArrayBuffer(2));
  assert.equal(say(shared), '{"$errand":"bytes","type":"Uint8Array","base64":"AAA="}');
  refuses({ a: new SharedArrayBuffer(2) }, '$.a is a SharedArrayBuffer');
});

test('errors keep name, message, stack, cause and errors, and native ones their class', () => {
  const cause = new RangeError('inner', { cause: { n: 1n } });
  const error = new TypeError('outer', { cause });
  error.extra = 1;
  const back = tripped(error);
  assert.ok(back instanceof TypeError);
  assert.equal(back.message, 'outer');
  assert.equal(back.stack, error.stack);
  assert.deepEqual(Object.keys(back), []);
  assert.ok(back.cause instanceof RangeError);
  assert.deepEqual(back.cause.cause, { n: 1n });
  class Own extends Error {
    name = 'Own';
  }
  const own = tripped(new Own('x'));
  assert.equal(Object.getPrototypeOf(own), Error.prototype);
  assert.equal(own.name, 'Own');
  const many = tripped(new AggregateError([new Error('a'), 5], 'm'));
  assert.ok(many instanceof AggregateError);
  assert.equal(many.errors[0].message, 'a');
  assert.equal(many.errors[1], 5);
  assert.equal(tripped(new DOMException('gone', 'AbortError')).name, 'AbortError');
  const plain = rich.fromText('{"$errand":"error","name":"EvalError","message":"m"}');
  assert.ok(plain instanceof EvalError);
  assert.equal(plain.stack, 'EvalError: m');
  assert.equal('cause' in plain, false);
  assert.equal(tripped(Object.assign(new Error('x'), { cause: undefined })).cause, undefined);
});

test('values of another realm are what they are', () => {
  const there = vm.runInNewContext(
    '({ m: new Map([[1, new Date(3)]]), r: /x/, u: new Uint8Array([7]), e: new TypeError("t") })',
  );
  const back = tripped(there);
  assert.deepEqual(back.m.get(1), new Date(3));
  assert.deepEqual(back.u, new Uint8Array([7]));
  assert.ok(back.e instanceof TypeError);
});

test('what can not travel is named with its path', () => {
  class Point {}
  class MyMap extends Map {}
  refuses({ f() {} }, '$.f is a function');
  refuses([Symbol('s')], '$[0] is a symbol');
  refuses({ p: new Point() }, '$.p is no plain object');
  refuses({ p: new MyMap() }, '$.p is of a class of its own, made from a Map');
  refuses([new (class extends Uint8Array {})(1)],
    '$[0] is of a class of its own, made from a typed array');
  refuses({ a: [Promise.resolve()] }, '$.a[0] is a promise: did you forget await?');
  refuses(new Map([['k', [Promise.resolve()]]]),
    '$.values()[0][0] is a promise: did you forget await?');
  refuses(new Map([[1, 2], [() => 1, 2]]), '$.keys()[1] is a function');
  refuses(new Set([1, Symbol('x')]), '$.values()[1] is a symbol');
  refuses([1, , 2], '$ is an array with a hole at 1');
  refuses(new WeakMap(), '$ is no plain object');
  refuses(Object(1n), '$ is a boxed primitive');
  refuses(new Error('x', { cause: () => 1 }), '$.cause is a function');
  const map = new Map();
  map.set('self', { map });
  refuses(map, '$.values()[0].map is part of itself, a cycle');
  const error = new Error('x');
  error.cause = error;
  refuses([error], '$[0].cause is part of itself, a cycle');
  const shared = new Date(1);
  assert.equal(say([shared, shared]).length, 2 * say(shared).length + 3);
  refuses(Object.create(Blob.prototype), /^\$ is no value that can be read/);
});

test('10,000 levels of the text pass, however many each value takes', () => {
  let map = 1;
  for (let i = 0; i < 3333; i++) map = new Map([[i, map]]);
  const text = say(map);
  let back = rich.fromText(text);
  for (let i = 3332; i >= 0; i--) back = back.get(i);
  assert.equal(back, 1);
  assert.throws(() => say([[new Map([[1, map]])]]), /over 10000 levels deep/);
  assert.throws(() => say([[new Map(), map]]).length, /over 10000 levels deep/);
  let list = [];
  for (let i = 1; i < 9999; i++) list = [list];
  assert.equal(tripped([list]).length, 1);
  let dates = new Date(0);
  for (let i = 1; i < 10000; i++) dates = [dates];
  assert.ok(say(dates).includes('date'));
  assert.throws(() => say([dates]), /over 10000 levels deep/);
  let errors = new Error('x');
  for (let i = 0; i < 9999; i++)
    errors = Object.assign(new Error('x'), { stack: '', cause: errors });
  assert.ok(tripped(errors) instanceof Error);
});

test('malformed tags are refused with their path', () => {
  rejects('{"a":{"$errand":"what"}}', '$.a has a tag that is not known, "what"');
  rejects('[{"$errand":1}]', '$[0] has a tag that is not known, 1');
  rejects('[{"$errand":"toString"}]', '$[0] has a tag that is not known, "toString"');
  rejects('[{"$\\u0065rrand":"__proto__"}]', '$[0] has a tag that is not known, "__proto__"');
  rejects('{"$errand":"date"}', '$ is tagged "date", but it has no "value"');
  rejects('{"$errand":"date","value":"x"}',
    '$ is tagged "date", but its "value" is not a number or null');
  rejects('{"$errand":"date","value":1,"more":2}',
    '$ is tagged "date", but it has members that belong to no such tag');
  rejects('{"$errand":"bigint","value":"0x1"}',
    '$ is tagged "bigint", but it is no integer in digits');
  rejects('{"$errand":"number","value":"toString"}',
    '$ is tagged "number", but it is none of NaN, Infinity, -Infinity and -0');
  rejects('{"$errand":"regexp","source":"(","flags":""}',
    '$ is tagged "regexp", but this engine has no such pattern or flags');
  rejects('{"$errand":"map","entries":[[1,2],[1]]}',
    '$ is tagged "map", but entry 1 is no array of key and value');
  rejects('{"$errand":"map","entries":[[1,{"$errand":"x"}]]}',
    '$.values()[0] has a tag that is not known, "x"');
  rejects('{"$errand":"set","values":{}}', '$ is tagged "set", but its "values" is not an array');
  const bads = ['A', 'AA', 'AAA', 'A===', '====', 'AA==AA==', 'A*==', 'AAA\\n', 'AAAA\\u0000'];
  for (const bad of bads) {
    rejects(`{"$errand":"bytes","type":"Uint8Array","base64":"${bad}"}`,
      '$ is tagged "bytes", but its "base64" is no base64');
  }
  rejects('{"$errand":"bytes","type":"Uint16Array","base64":"AA=="}',
    '$ is tagged "bytes", but it is of 1 bytes, and its type of a multiple of 2');
  rejects('{"$errand":"bytes","type":"Object","base64":"AA=="}',
    '$ is tagged "bytes", but it is of a type that this engine does not have, Object');
  rejects('{"$errand":"error","message":"x"}', '$ is tagged "error", but it has no "name"');
  rejects('{"$errand":"object","value":[]}',
    '$ is tagged "object", but its "value" is not an object');
  assert.deepEqual(rich.fromText('{"value":5,"$errand":"date"}'), new Date(5));
  const odd = rich.fromText('{"__proto__":{"$errand":"bigint","value":"7"}}');
  assert.equal(Object.getOwnPropertyDescriptor(odd, '__proto__').value, 7n);
});

test('frozen all the way down, but for what can not be', () => {
  const given = rich.revive(
    JSON.parse('{"a":[{"b":{}}],"m":{"$errand":"map","entries":[["k",{}]]},"d":' +
      '{"$errand":"date","value":1},"u":{"$errand":"bytes","type":"Buffer","base64":"AA=="}}'),
    true,
  );
  for (const each of [given, given.a, given.a[0], given.a[0].b, given.m, given.m.get('k'), given.d])
    assert.ok(Object.isFrozen(each));
  assert.equal(given.u[0], 0);
});

test('blobs and files are read where they stand', async () => {
  const parts = say({ a: [new Blob(['h', 'i'], { type: 'text/plain' })], b: new Map([[1,
    new Blob([])]]), c: 1 });
  assert.equal(typeof parts, 'object');
  const text = await rich.fill(parts);
  assert.equal(rich.measure(parts), text.length);
  assert.equal(
    text,
    '{"a":[{"$errand":"blob","type":"text/plain","base64":"aGk="}],"b":{"$errand":"map",' +
      '"entries":[[1,{"$errand":"blob","type":"","base64":""}]]},"c":1}',
  );
  const back = rich.fromText(text);
  assert.equal(back.a[0].type, 'text/plain');
  assert.equal(await back.a[0].text(), 'hi');
  if (globalThis.File === undefined) return;
  const file = await rich.fill(say(new File(['é'], 'a"b.txt', { type: 'x/y', lastModified: 7 })));
  assert.equal(
    file,
    '{"$errand":"file","name":"a\\"b.txt","type":"x/y","modified":7,"base64":"w6k="}',
  );
  const again = rich.fromText(file);
  assert.deepEqual([again.name, again.type, again.lastModified, await again.text()],
    ['a"b.txt', 'x/y', 7, 'é']);
  const odd = say(new File([], 'a', { lastModified: Infinity }));
  assert.equal(rich.fromText(await rich.fill(odd)).lastModified, 0);
});

test('the examples of the protocol are what is read and written', async () => {
  const page = readFileSync(new URL('../../docs/protocol.md', import.meta.url), 'utf8');
  const lines = /^```rich\n([^]*?)^```$/m.exec(page)[1].trimEnd().split('\n');
  const seen = new Set();
  for (const line of lines) {
    for (const [, kind] of line.matchAll(/"\$errand":"([a-z]+)"/g)) seen.add(kind);
    if (line.includes('"file"') && globalThis.File === undefined) continue;
    const said = say(rich.fromText(line));
    assert.equal(typeof said === 'object' ? await rich.fill(said) : said, line);
  }
  const told = [...page.matchAll(/^\| `([a-z]+)` \| [^|]*(?:\||`)/gm)].map(([, kind]) => kind);
  for (const kind of ['undefined', 'number', 'bigint', 'date', 'regexp', 'map', 'set', 'error',
    'bytes', 'blob', 'file', 'object'])
    assert.ok(seen.has(kind) && told.includes(kind), kind);
});
