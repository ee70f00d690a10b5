// Values that JSON has no word for, as tagged JSON and back: section 10 of the protocol.
//
// Made before the program runs and only for runs that want it: what the engine offers is taken
// then, since the program shares the realm.

import * as buffers from 'node:buffer';
import {
  isPromise,
  isDate,
  isMap,
  isSet,
  isRegExp,
  isNativeError,
  isAnyArrayBuffer,
  isSharedArrayBuffer,
  isArrayBufferView,
  isDataView,
} from 'node:util/types';
import { alone, engine, list } from './intrinsics.js';
import {
  IN_MAP,
  IN_SET,
  briefly,
  denseLength,
  describe,
  isIntrinsic,
  newFrame,
  plainKeys,
  refusal,
  toText,
} from './values.js';
import { newNode, revive } from './revive.js';

const { isArray, hasOwn, objectKeys, objectIs, getPrototypeOf, setPrototypeOf } = engine;
const { defineProperty, getOwnPropertyDescriptor, stringify, parse, isFinite } = engine;
const { indexOf, slice, exec, mapSet, setAdd, create } = engine;
const { Map, Set, RegExp, BigInt, Promise } = engine;

const TAG = '$errand';
const ERRORS = [
  'Error',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
  'AggregateError',
];
const VIEWS = [
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'Float16Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
];
const FLAGS = [
  ['d', 'hasIndices'],
  ['g', 'global'],
  ['i', 'ignoreCase'],
  ['m', 'multiline'],
  ['s', 'dotAll'],
  ['u', 'unicode'],
  ['v', 'unicodeSets'],
  ['y', 'sticky'],
];
const OWN_PROMISE = { __proto__: null, value: Promise, configurable: true };
const DIGITS = new RegExp('^-?(0|[1-9][0-9]*)$');

const bind = Function.prototype.bind.bind(Function.prototype.call);
// Of an accessor that a prototype has, what reads it; where it has none, what says undefined.
const getter = (prototype, name) => {
  const { get } = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
  return get === undefined ? () => undefined : bind(get);
};

// A text that fills a tag and holds nothing that JSON escapes.
const tag = (kind, rest) => `{"${TAG}":"${kind}"${rest}}`;

// What iterates over one thing, or over none, whatever became of Array.prototype.
const iterableOf = (things) => ({
  __proto__: null,
  [engine.Symbol.iterator]: () => {
    let at = 0;
    return {
      __proto__: null,
      next: () =>
        at < things.length
          ? { __proto__: null, value: things[at++], done: false }
          : { __proto__: null, value: undefined, done: true },
    };
  },
});

// --- Bytes ------------------------------------------------------------------------------------

function newBytes() {
  const { Uint8Array, ArrayBuffer, DataView } = globalThis;
  const TypedArray = Object.getPrototypeOf(Uint8Array.prototype); // What all of them inherit.
  const base64Slice = bind(Buffer.prototype.base64Slice);
  const base64Write = bind(Buffer.prototype.base64Write);
  const typeOf = getter(TypedArray, engine.Symbol.toStringTag);
  const arrayFacts = ['buffer', 'byteOffset', 'byteLength'].map((name) => getter(TypedArray, name));
  const viewFacts = ['buffer', 'byteOffset', 'byteLength'].map((name) =>
    getter(DataView.prototype, name),
  );
  const copyInto = bind(TypedArray.set);
  const bufferLength = getter(ArrayBuffer.prototype, 'byteLength');
  const makers = create(null);
  for (const name of VIEWS) {
    const Maker = globalThis[name];
    if (Maker === undefined) continue;
    makers[name] = { Maker, prototype: Maker.prototype, width: Maker.BYTES_PER_ELEMENT };
  }
  // A realm of its own has none, and is not to see node's.
  const BufferPrototype = alone ? Uint8Array.prototype : Buffer.prototype;

  const bytesOf = (value) => {
    if (isAnyArrayBuffer(value)) return new Uint8Array(value, 0, bufferLength(value));
    const facts = isDataView(value) ? viewFacts : arrayFacts;
    const bytes = new Uint8Array(facts[0](value), facts[1](value), facts[2](value));
    if (!isSharedArrayBuffer(facts[0](value))) return bytes;
    const copy = new Uint8Array(facts[2](value));
    copyInto(copy, bytes);
    return copy;
  };

  const encode = (value) => {
    const bytes = bytesOf(value);
    return base64Slice(bytes, 0, arrayFacts[2](bytes));
  };

  // The bytes behind a text of base64, or null: it is none.
  const decode = (text) => {
    const { length } = text;
    if (length % 4 !== 0) return null;
    const pads = slice(text, -2) === '==' ? 2 : slice(text, -1) === '=' ? 1 : 0;
    const count = (length / 4) * 3 - pads;
    const bytes = new Uint8Array(count);
    // What is no digit is passed over by the engine, so that there are fewer bytes.
    return base64Write(bytes, text, 0, count) === count ? bytes : null;
  };

  // The type by which bytes travel; undefined: of no type that can.
  const nameOf = (value) => {
    const proto = getPrototypeOf(value);
    if (isAnyArrayBuffer(value)) {
      const plain = !isSharedArrayBuffer(value);
      const own = proto === ArrayBuffer.prototype || isIntrinsic(proto, 'ArrayBuffer');
      return plain && own ? 'ArrayBuffer' : undefined;
    }
    if (isDataView(value)) {
      const own = proto === DataView.prototype || isIntrinsic(proto, 'DataView');
      return own ? 'DataView' : undefined;
    }
    if (proto === BufferPrototype && !alone) return 'Buffer';
    const name = typeOf(value);
    const maker = makers[name];
    if (maker === undefined) return undefined;
    return proto === maker.prototype || isIntrinsic(proto, name) ? name : undefined;
  };

  // What is of that type; or a text that says why not.
  const make = (name, bytes) => {
    const count = arrayFacts[2](bytes);
    const buffer = arrayFacts[0](bytes);
    if (name === 'ArrayBuffer') return buffer;
    if (name === 'DataView') return new DataView(buffer, 0, count);
    if (name === 'Buffer') return setPrototypeOf(bytes, BufferPrototype);
    const maker = makers[name];
    if (maker === undefined) return `of a type that this engine does not have, ${name}`;
    if (count % maker.width !== 0)
      return `of ${count} bytes, and its type of a multiple of ${maker.width}`;
    return new maker.Maker(buffer, 0, count / maker.width);
  };

  return { nameOf, encode, decode, make };
}

// --- Files ------------------------------------------------------------------------------------

const NO_FILES = { __proto__: null, kindOf: () => undefined, make: () => undefined };

function newFiles() {
  if (alone) return NO_FILES;
  const { Blob, File } = buffers;
  const BlobPrototype = Blob.prototype;
  const FilePrototype = File === undefined ? undefined : File.prototype;
  const sizeOf = getter(BlobPrototype, 'size');
  const typeOf = getter(BlobPrototype, 'type');
  const nameOf = File === undefined ? undefined : getter(FilePrototype, 'name');
  const modifiedOf = File === undefined ? undefined : getter(FilePrototype, 'lastModified');
  const arrayBuffer = bind(BlobPrototype.arrayBuffer);

  return {
    // 'blob', 'file' or undefined.
    kindOf(value) {
      const proto = getPrototypeOf(value);
      if (proto === BlobPrototype) return 'blob';
      return FilePrototype !== undefined && proto === FilePrototype ? 'file' : undefined;
    },
    facts(kind, blob) {
      const type = `,"type":${stringify(typeOf(blob))}`;
      if (kind === 'blob') return type;
      const modified = +modifiedOf(blob); // Some engines take any number for a time.
      const time = isFinite(modified) ? modified : 0;
      return `,"name":${stringify(nameOf(blob))}${type},"modified":${time}`;
    },
    sizeOf,
    read(blob) {
      const reading = arrayBuffer(blob);
      defineProperty(reading, 'constructor', OWN_PROMISE);
      return reading;
    },
    make(kind, told, bytes) {
      const options = { __proto__: null, type: told.type };
      if (kind === 'blob') return new Blob(iterableOf([bytes]), options);
      if (File === undefined) return undefined;
      options.lastModified = told.modified;
      return new File(iterableOf([bytes]), told.name, options);
    },
  };
}

// --- What the program gives -------------------------------------------------------------------

function newSteps(bytes, files) {
  const getTime = bind(Date.prototype.getTime);
  const mapEach = bind(Map.prototype.forEach);
  const setEach = bind(Set.prototype.forEach);
  const sourceOf = getter(RegExp.prototype, 'source');
  const flags = FLAGS.map(([letter, name]) => ({ letter, read: getter(RegExp.prototype, name) }));
  const natives = { __proto__: null, Date, Map, Set, RegExp };
  const ObjectPrototype = Object.prototype;
  const DOMExceptionPrototype = alone ? null : globalThis.DOMException.prototype;

  const isError = (value) =>
    isNativeError(value) || (!alone && getPrototypeOf(value) === DOMExceptionPrototype);

  // Its class, of those that a value of one's own class may not have in place of it.
  const brandOf = (value) => {
    if (isDate(value)) return 'Date';
    if (isMap(value)) return 'Map';
    if (isSet(value)) return 'Set';
    return isRegExp(value) ? 'RegExp' : undefined;
  };

  const errorFrame = (error) => {
    const told = create(null);
    const { name, message, stack } = error;
    told.name = typeof name === 'string' ? name : 'Error';
    told.message = typeof message === 'string' ? message : '';
    if (typeof stack === 'string') told.stack = stack;
    if (hasOwn(error, 'cause')) told.cause = error.cause;
    if (told.name === 'AggregateError' && hasOwn(error, 'errors')) {
      const { errors } = error;
      if (isArray(errors)) told.errors = errors;
    }
    const keys = objectKeys(told);
    const frame = newFrame(error, told, keys, keys.length);
    frame.open = `{"${TAG}":"error"`;
    frame.any = true;
    return frame;
  };

  const listFrame = (value, items, kind, member, shape, levels) => {
    const frame = newFrame(value, items, null, items.length);
    frame.open = `{"${TAG}":"${kind}","${member}":[`;
    frame.close = shape === IN_MAP && items.length > 0 ? ']]}' : ']}';
    frame.levels = levels;
    frame.shape = shape;
    return frame;
  };

  const branded = (value, brand) => {
    const items = list();
    switch (brand) {
      case 'Date': {
        const time = getTime(value);
        return tag('date', `,"value":${isFinite(time) ? time : null}`);
      }
      case 'RegExp': {
        let letters = '';
        for (let i = 0; i < flags.length; i++) if (flags[i].read(value)) letters += flags[i].letter;
        return tag('regexp', `,"source":${stringify(sourceOf(value))},"flags":"${letters}"`);
      }
      case 'Map':
        mapEach(value, (held, key) => {
          items[items.length] = key;
          items[items.length] = held;
        });
        return listFrame(value, items, 'map', 'entries', IN_MAP, 3);
      default:
        setEach(value, (held) => {
          items[items.length] = held;
        });
        return listFrame(value, items, 'set', 'values', IN_SET, 2);
    }
  };

  const plainFrame = (value) => {
    const keys = plainKeys(value);
    if (keys === null) return undefined;
    const frame = newFrame(value, value, keys, keys.length);
    if (!hasOwn(value, TAG)) return frame;
    frame.open = `{"${TAG}":"object","value":{`;
    frame.close = '}}';
    frame.levels = 2;
    return frame;
  };

  const objectStep = (value, walk) => {
    if (isArray(value)) {
      const length = denseLength(value);
      return length < 0 ? undefined : newFrame(value, value, null, length);
    }
    if (isPromise(value)) return undefined;
    if (isError(value)) return errorFrame(value);
    const brand = brandOf(value);
    if (brand !== undefined) {
      const proto = getPrototypeOf(value);
      const own = proto === natives[brand].prototype || isIntrinsic(proto, brand);
      return own ? branded(value, brand) : undefined;
    }
    if (isArrayBufferView(value) || isAnyArrayBuffer(value)) {
      const name = bytes.nameOf(value);
      if (name === undefined) return undefined;
      return tag('bytes', `,"type":"${name}","base64":"${bytes.encode(value)}"`);
    }
    const proto = getPrototypeOf(value);
    const kind = proto === ObjectPrototype || proto === null ? undefined : files.kindOf(value);
    if (kind === undefined) return plainFrame(value);
    const text = tag(kind, `${files.facts(kind, value)},"base64":""`);
    walk.gap = value;
    return text;
  };

  const step = (value, walk) => {
    switch (typeof value) {
      case 'string':
        return stringify(value);
      case 'number':
        if (isFinite(value) && !objectIs(value, -0)) return '' + value;
        return tag('number', `,"value":"${objectIs(value, -0) ? '-0' : value}"`);
      case 'boolean':
        return value ? 'true' : 'false';
      case 'undefined':
        return tag('undefined', '');
      case 'bigint':
        return tag('bigint', `,"value":"${value}"`);
      case 'object':
        return value === null ? 'null' : objectStep(value, walk);
      default:
        return undefined;
    }
  };

  const describeOdd = (value) => {
    if (typeof value !== 'object' || value === null || isPromise(value)) return describe(value);
    if (isSharedArrayBuffer(value)) return 'a SharedArrayBuffer';
    const odd =
      brandOf(value) ??
      (isAnyArrayBuffer(value) ? 'ArrayBuffer' : isArrayBufferView(value) ? 'typed array' : '');
    return odd === '' ? describe(value) : `of a class of its own, made from a ${odd}`;
  };

  // A walk over one value. gap: the Blob whose bytes its text leaves open, until place() is told
  // where that text ends.
  return () => ({
    __proto__: null,
    gap: null,
    gaps: list(),
    step(value) {
      return step(value, this);
    },
    describe: describeOdd,
    place(end, path) {
      // Behind the bytes stand a quote and a brace.
      this.gaps[this.gaps.length] = { __proto__: null, blob: this.gap, at: end - 2, path };
      this.gap = null;
    },
  });
}

// --- What the program gets --------------------------------------------------------------------

// What each tag has beside its own name, and what that must be; a name that ends in ? may be left
// out.
const SHAPES = {
  __proto__: null,
  undefined: {},
  number: { value: 'a text' },
  bigint: { value: 'a text' },
  date: { value: 'a number or null' },
  regexp: { source: 'a text', flags: 'a text' },
  map: { entries: 'an array' },
  set: { values: 'an array' },
  error: {
    name: 'a text',
    message: 'a text',
    'stack?': 'a text',
    'cause?': 'a value',
    'errors?': 'an array',
  },
  bytes: { type: 'a text', base64: 'a text' },
  blob: { type: 'a text', base64: 'a text' },
  file: { name: 'a text', type: 'a text', modified: 'a number', base64: 'a text' },
  object: { value: 'an object' },
};

const isRecord = (value) => typeof value === 'object' && value !== null && !isArray(value);
const CHECKS = {
  __proto__: null,
  'a text': (value) => typeof value === 'string',
  'a number': (value) => typeof value === 'number',
  'a number or null': (value) => typeof value === 'number' || value === null,
  'an array': isArray,
  'an object': isRecord,
  'a value': () => true,
};

// SHAPES as lists without a prototype.
function newMembers() {
  const members = create(null);
  for (const kind of objectKeys(SHAPES)) {
    members[kind] = list();
    for (const label of objectKeys(SHAPES[kind])) {
      const optional = label.endsWith('?');
      const name = optional ? label.slice(0, -1) : label;
      const what = SHAPES[kind][label];
      members[kind][members[kind].length] = { name, optional, what, fits: CHECKS[what] };
    }
  }
  return members;
}

function newTagged(bytes, files) {
  const members = newMembers();
  const natives = create(null);
  for (const name of ERRORS) natives[name] = globalThis[name];
  const { Date, Error, TypeError } = globalThis;
  const numbers = { __proto__: null, NaN, Infinity, '-Infinity': -Infinity, '-0': -0 };

  // What stands at path is none of its kind.
  const wrong = (path, kind, what) =>
    new TypeError(`${path()} is tagged ${stringify(kind)}, but ${what}`);

  const read = (node, kind, path) => {
    const told = create(null);
    const wanted = members[kind];
    let count = 1;
    for (let i = 0; i < wanted.length; i++) {
      const { name, optional, what, fits } = wanted[i];
      const own = getOwnPropertyDescriptor(node, name);
      if (own === undefined && optional) continue;
      if (own === undefined) throw wrong(path, kind, `it has no "${name}"`);
      if (!fits(own.value)) throw wrong(path, kind, `its "${name}" is not ${what}`);
      told[name] = own.value;
      count++;
    }
    if (objectKeys(node).length !== count)
      throw wrong(path, kind, 'it has members that belong to no such tag');
    return told;
  };

  const hidden = (object, name, value) =>
    defineProperty(object, name, { __proto__: null, value, writable: true, configurable: true });

  const newError = (told) => {
    const { name, message } = told;
    const native = natives[name];
    const error =
      name === 'AggregateError'
        ? new native(iterableOf([]), message)
        : new (native ?? Error)(message);
    if (native === undefined) hidden(error, 'name', name);
    const head = name === '' ? message : message === '' ? name : `${name}: ${message}`;
    hidden(error, 'stack', told.stack ?? head);
    if ('cause' in told) hidden(error, 'cause', told.cause);
    if ('errors' in told) hidden(error, 'errors', told.errors);
    return error;
  };

  const errorNode = (told) => {
    const keys = list();
    if ('cause' in told) keys[keys.length] = 'cause';
    if ('errors' in told) keys[keys.length] = 'errors';
    return newNode(told, keys, newError);
  };

  const mapNode = ({ entries }, path) => {
    const items = list();
    for (let i = 0; i < entries.length; i++) {
      const pair = entries[i];
      if (!isArray(pair) || pair.length !== 2)
        throw wrong(path, 'map', `entry ${i} is no array of key and value`);
      items[2 * i] = pair[0];
      items[2 * i + 1] = pair[1];
    }
    const finish = () => {
      const map = new Map();
      for (let i = 0; i < items.length; i += 2) mapSet(map, items[i], items[i + 1]);
      return map;
    };
    return newNode(items, null, finish, IN_MAP);
  };

  const setNode = ({ values }) => {
    const finish = () => {
      const set = new Set();
      for (let i = 0; i < values.length; i++) setAdd(set, values[i]);
      return set;
    };
    return newNode(values, null, finish, IN_SET);
  };

  const base64 = (told, kind, path) => {
    const found = bytes.decode(told.base64);
    if (found === null) throw wrong(path, kind, 'its "base64" is no base64');
    return found;
  };

  const newBytesOf = (told, path) => {
    const made = bytes.make(told.type, base64(told, 'bytes', path));
    if (typeof made === 'string') throw wrong(path, 'bytes', `it is ${made}`);
    return made;
  };

  const newFile = (told, kind, path) => {
    const made = files.make(kind, told, base64(told, kind, path));
    if (made === undefined) throw wrong(path, kind, 'a program here has no such class');
    return made;
  };

  const leaves = {
    __proto__: null,
    undefined: () => undefined,
    number: ({ value }) => numbers[value],
    bigint: ({ value }) => (exec(DIGITS, value) === null ? undefined : BigInt(value)),
    date: ({ value }) => new Date(value ?? NaN),
    regexp: ({ source, flags }) => {
      try {
        return new RegExp(source, flags);
      } catch {
        return undefined;
      }
    },
    bytes: newBytesOf,
    blob: (told, path) => newFile(told, 'blob', path),
    file: (told, path) => newFile(told, 'file', path),
  };
  const says = {
    __proto__: null,
    number: 'it is none of NaN, Infinity, -Infinity and -0',
    bigint: 'it is no integer in digits',
    regexp: 'this engine has no such pattern or flags',
  };
  const nodes = { __proto__: null, map: mapNode, set: setNode, error: errorNode };
  const nothing = list();

  return (node, path) => {
    const own = getOwnPropertyDescriptor(node, TAG);
    if (own === undefined) return null;
    const kind = own.value;
    if (typeof kind !== 'string' || members[kind] === undefined)
      throw new TypeError(
        `${path()} has a tag that is not known, ${slice(stringify(kind), 0, 80)}`,
      );
    const told = read(node, kind, path);
    if (kind === 'object') return newNode(told.value, objectKeys(told.value), (made) => made);
    if (nodes[kind] !== undefined) return nodes[kind](told, path);
    const made = leaves[kind](told, path);
    if (made === undefined && kind !== 'undefined') throw wrong(path, kind, says[kind]);
    return newNode(nothing, null, () => made);
  };
}

// --- Both ways --------------------------------------------------------------------------------

// hold(true) keeps the thread's event loop alive, hold(false) ends that.
export function newRich(hold) {
  const bytes = newBytes();
  const files = newFiles();
  const newWalk = newSteps(bytes, files);
  const tagged = newTagged(bytes, files);
  let turn = null;

  return {
    // A text; or { text, gaps } where bytes must be read first.
    toText(value) {
      const walk = newWalk();
      const text = toText(value, true, walk);
      return walk.gaps.length === 0 ? text : { __proto__: null, text, gaps: walk.gaps };
    },
    // How long such a text will be.
    measure({ text, gaps }) {
      let count = engine.byteLength(text);
      for (let i = 0; i < gaps.length; i++) {
        const size = files.sizeOf(gaps[i].blob) + 2;
        count += ((size - (size % 3)) / 3) * 4;
      }
      return count;
    },
    // The whole text. One Blob is read at a time, over all that is under way.
    async fill({ text, gaps }) {
      const before = turn;
      let over;
      turn = new Promise((resolve) => {
        over = resolve;
      });
      defineProperty(turn, 'constructor', OWN_PROMISE);
      hold(true);
      try {
        if (before !== null) await before;
        let out = '';
        let from = 0;
        for (let i = 0; i < gaps.length; i++) {
          const { blob, at, path } = gaps[i];
          let read;
          try {
            read = await files.read(blob);
          } catch (error) {
            throw refusal(path, `a Blob that can't be read: ${briefly(error)}`);
          }
          out += slice(text, from, at) + bytes.encode(read);
          from = at;
        }
        return out + slice(text, from);
      } finally {
        hold(false);
        over();
      }
    },
    fromText(text) {
      const plain = indexOf(text, TAG) < 0 && indexOf(text, '\\u') < 0;
      return plain ? parse(text) : revive(parse(text), tagged, false);
    },
    revive: (tree, frozen) => revive(tree, tagged, frozen),
  };
}
