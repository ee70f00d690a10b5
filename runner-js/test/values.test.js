import { test } from 'node:test';
import assert from 'node:assert/strict';
import vm from 'node:vm';
import { toText } from '../src/values.js';

const strict = (value) => toText(value, true);
const refuses = (value, text) =>
  assert.throws(
    () => strict(value),
    (error) => {
      assert.equal(error.name, 'TypeError');
      assert.equal(error.message, text);
      return true;
    },
  );

test('strict carries what JSON holds, and nothing else', () => {
  for (const value of [
    null,
    true,
    false,
    0,
    -1.5,
    1e21,
    2 ** 63,
    '',
    '€ 😀 \u0000 \u2028',
    [],
    {},
    [1, [2, { a: null }]],
    { 'a b': 1, '': 2 },
    Object.create(null),
  ]) {
    assert.equal(strict(value), JSON.stringify(value));
  }
  assert.equal(strict(undefined), undefined);
  refuses(-0, '$ is negative zero');
  refuses(NaN, '$ is NaN');
  refuses([1, Infinity], '$[1] is Infinity');
  refuses({ a: [0, { 'b c': undefined }] }, '$.a[0]["b c"] is undefined'.replace('[0]', '[1]'));
  refuses({ f: () => 1 }, '$.f is a function');
  refuses([Symbol('x')], '$[0] is a symbol');
  refuses({ n: [10n] }, '$.n[0] is a BigInt');
  refuses(new Date(0), '$ is a Date');
  refuses({ m: new Map() }, '$.m is a Map');
  refuses(new Set(), '$ is a Set');
  refuses(/x/, '$ is a RegExp');
  refuses(new Error('x'), '$ is an Error');
  refuses(new Uint8Array(2), '$ is a typed array');
  refuses(new ArrayBuffer(2), '$ is an ArrayBuffer');
  refuses(Object(1), '$ is a boxed primitive');
  refuses(new (class A {})(), '$ is no plain object');
  refuses([1, , 2], '$ is an array with a hole at 1');
  refuses(Object.assign([1], { extra: 1 }), '$ is an array with further members');
  refuses(Object.assign([1, , 3], { extra: 1 }), '$ is an array with a hole at 1');
  refuses(new Array(4e9), '$ is an array with a hole at 0');
  refuses(new (class A extends Array {})(), '$ is no plain array');
  refuses({ [Symbol('x')]: 1 }, '$ is no plain object');
  refuses(Object.defineProperty({}, 'hidden', { value: 1 }), '$ is no plain object');
});

test('a promise inside a value asks for await, in both modes', () => {
  refuses({ a: [1, Promise.resolve(2)] }, '$.a[1] is a promise: did you forget await?');
  assert.throws(
    () => toText({ a: Promise.resolve() }, false),
    /\$\.a is a promise: did you forget await\?/,
  );
});

test('cycles are refused and shared parts are written twice', () => {
  const shared = { x: 1 };
  assert.equal(strict([shared, shared]), '[{"x":1},{"x":1}]');
  const cycle = { list: [1] };
  cycle.list.push(cycle);
  refuses(cycle, '$.list[1] is part of itself, a cycle');
  assert.throws(() => toText(cycle, false), /cycle/);
});

test('each getter is read once, and one that throws is named', () => {
  let reads = 0;
  assert.equal(
    strict({
      get a() {
        return ++reads;
      },
    }),
    '{"a":1}',
  );
  assert.equal(reads, 1);
  refuses(
    {
      a: {
        get b() {
          throw new Error('no');
        },
      },
    },
    '$.a.b is a getter that threw: Error: no',
  );
});

test('own __proto__ keys stay own keys', () => {
  const value = JSON.parse('{"__proto__":{"a":1},"constructor":2}');
  assert.equal(strict(value), '{"__proto__":{"a":1},"constructor":2}');
});

test('lone surrogates survive as escapes', () => {
  assert.equal(strict('a\ud83d'), '"a\\ud83d"');
  assert.equal(strict({ '\udc00': '😀' }), '{"\\udc00":"😀"}');
});

test('10,000 levels pass and one more is refused', () => {
  const nest = (levels) => {
    let value = [];
    for (let i = 1; i < levels; i++) value = [value];
    return value;
  };
  assert.equal(strict(nest(10000)).length, 20000);
  assert.throws(() => strict(nest(10001)), /over 10000 levels deep/);
  assert.equal(toText(nest(10000), false).length, 20000);
});

test('plain objects of another realm pass, pretenders do not', () => {
  assert.equal(strict(vm.runInNewContext('({ a: [1, { b: 2 }] })')), '{"a":[1,{"b":2}]}');
  function Fake() {}
  Object.defineProperty(Fake, 'name', { value: 'Object' });
  Fake.prototype = Object.create(null);
  Object.defineProperty(Fake.prototype, 'constructor', { value: Fake });
  Object.defineProperty(Fake, 'prototype', { writable: false });
  const real = Function.prototype.toString;
  Function.prototype.toString = () => 'function Object() { [native code] }';
  try {
    refuses(Object.create(Fake.prototype), '$ is no plain object');
  } finally {
    Function.prototype.toString = real;
  }
});

test('json does what JSON.stringify does', () => {
  const values = [
    undefined,
    null,
    -0,
    NaN,
    [undefined, () => 1, Symbol('x'), , 3],
    { a: undefined, b: () => 1, c: 1 },
    new Date(0),
    new Map([[1, 2]]),
    new Set([1]),
    /x/,
    new Error('x'),
    Object(1),
    Object('s'),
    Object(false),
    { toJSON: () => 7 },
    { toJSON: (key) => [key] },
    { a: { toJSON: (key) => key } },
    [{ toJSON: (key) => key }],
    { toJSON: () => undefined },
    new Uint8Array([1, 2]),
    Buffer.from('x'),
    () => 1,
    Object.create({ inherited: 1 }),
    new (class A {
      b = 1;
    })(),
    [[], {}],
    { x: [{ y: {} }] },
    { [Symbol('x')]: 1 },
  ];
  for (const value of values) assert.equal(toText(value, false), JSON.stringify(value));
  assert.throws(() => toText({ a: 1n }, false), /\$\.a is a BigInt/);
});
