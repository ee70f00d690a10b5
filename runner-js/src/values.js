// Values to JSON texts and back: lossless, or refused by path. Iterative, so that no depth
// overflows a stack; each property is read once.
//
// strict: null, booleans, strings, finite numbers but -0, dense arrays without further keys, and
// objects of enumerable string keys whose prototype is null or an Object.prototype of any realm.
// json: what JSON.stringify would do. rich.js knows the third way. In all, a promise is refused: it
// is a forgotten await.

import {
  isPromise,
  isDate,
  isMap,
  isSet,
  isRegExp,
  isNativeError,
  isNumberObject,
  isStringObject,
  isBooleanObject,
  isBigIntObject,
  isAnyArrayBuffer,
  isArrayBufferView,
  isProxy,
} from 'node:util/types';
import { engine, list } from './intrinsics.js';

const {
  isArray,
  ownKeys,
  objectKeys,
  objectIs,
  getPrototypeOf,
  getOwnPropertyDescriptor,
  stringify,
  isFinite,
  functionText,
  setHas,
  setAdd,
  setDelete,
  exec,
  apply,
  booleanValue,
  min,
} = engine;
const { Set, RegExp, TypeError, RangeError } = engine;
const ObjectPrototype = Object.prototype;
const ArrayPrototype = Array.prototype;
const IDENTIFIER = new RegExp('^[A-Za-z_$][A-Za-z0-9_$]*$');

const DEPTH_MAX = 10000;

// What a value is that JSON has no word for, in words.
export function describe(value) {
  switch (typeof value) {
    case 'undefined':
      return 'undefined';
    case 'function':
      return 'a function';
    case 'symbol':
      return 'a symbol';
    case 'bigint':
      return 'a BigInt';
    case 'number':
      return objectIs(value, -0) ? 'negative zero' : '' + value;
    case 'object':
      return describeObject(value);
    default:
      return 'of an unknown kind';
  }
}

function describeObject(value) {
  if (isPromise(value)) return 'a promise: did you forget await?';
  if (isDate(value)) return 'a Date';
  if (isMap(value)) return 'a Map';
  if (isSet(value)) return 'a Set';
  if (isRegExp(value)) return 'a RegExp';
  if (isNativeError(value)) return 'an Error';
  if (isAnyArrayBuffer(value)) return 'an ArrayBuffer';
  if (isArrayBufferView(value)) return 'a typed array';
  if (
    isNumberObject(value) ||
    isStringObject(value) ||
    isBooleanObject(value) ||
    isBigIntObject(value)
  ) {
    return 'a boxed primitive';
  }
  if (isProxy(value)) return 'a proxy of what is no plain object';
  return isArray(value) ? describeArray(value) : 'no plain object';
}

function describeArray(value) {
  if (!isArrayPrototype(getPrototypeOf(value))) return 'no plain array';
  const { length } = value;
  const keys = ownKeys(value);
  let at = 0;
  while (at < length && keys[at] === '' + at) at++;
  return at < length ? `an array with a hole at ${at}` : 'an array with further members';
}

// Whether proto is the prototype that a realm, this one or another, gives to its plain objects
// or arrays: what only pretends to be one has no native constructor of that name.
export function isIntrinsic(proto, name) {
  const own = getOwnPropertyDescriptor(proto, 'constructor');
  const maker = own && own.value;
  if (typeof maker !== 'function') return false;
  const back = getOwnPropertyDescriptor(maker, 'prototype');
  return (
    back !== undefined &&
    back.value === proto &&
    !back.writable &&
    functionText(maker) === `function ${name}() { [native code] }`
  );
}

// What a frame walks over, where that is not plain members: it shows in the path alone.
export const IN_MAP = 1;
export const IN_SET = 2;

// Where the walk is: the keys taken by the frames that are open.
export function pathOf(stack, depth) {
  let path = '$';
  for (let i = 0; i < depth; i++) {
    const { at: key, shape } = stack[i];
    if (shape === IN_MAP)
      path += `.${key % 2 === 0 ? 'keys' : 'values'}()[${(key - (key % 2)) / 2}]`;
    else if (shape === IN_SET) path += `.values()[${key}]`;
    else if (typeof key === 'number') path += `[${key}]`;
    else path += exec(IDENTIFIER, key) !== null ? `.${key}` : `[${stringify(key)}]`;
  }
  return path;
}

export function refusal(path, what) {
  return new TypeError(`${path} is ${what}`);
}

const isArrayPrototype = (proto) =>
  proto === ArrayPrototype || (proto !== null && isArray(proto) && isIntrinsic(proto, 'Array'));

// The keys of a dense array without further keys, as a count; -1: it is something else.
export function denseLength(value) {
  if (!isArrayPrototype(getPrototypeOf(value))) return -1;
  const { length } = value;
  const keys = ownKeys(value);
  if (keys.length !== length + 1 || keys[length] !== 'length') return -1;
  return length === 0 || keys[length - 1] === '' + (length - 1) ? length : -1;
}

// The keys of a plain object; null: it is something else.
export function plainKeys(value) {
  const proto = getPrototypeOf(value);
  if (proto !== ObjectPrototype && proto !== null && !isIntrinsic(proto, 'Object')) return null;
  if (isPromise(value) || isNativeError(value) || isMap(value) || isSet(value) || isDate(value))
    return null;
  const keys = objectKeys(value);
  return ownKeys(value).length === keys.length ? keys : null;
}

// What to walk into: length elements of source, or the members keys of it. value: what must not be
// inside itself. open and close stand around them, and levels is how deep that is as JSON.
export function newFrame(value, source, keys, length) {
  return {
    value,
    source,
    keys,
    length,
    at: undefined,
    next: 0,
    any: false,
    open: keys === null ? '[' : '{',
    close: keys === null ? ']' : '}',
    levels: 1,
    shape: 0,
  };
}

// Either the text of a leaf, or a frame, or undefined for what is no value at this place.
function strictStep(value) {
  if (typeof value === 'string') return stringify(value);
  if (typeof value === 'number')
    return isFinite(value) && !objectIs(value, -0) ? '' + value : undefined;
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (value === null) return 'null';
  if (typeof value !== 'object') return undefined;
  if (isArray(value)) {
    const length = denseLength(value);
    return length < 0 ? undefined : newFrame(value, value, null, length);
  }
  const keys = plainKeys(value);
  return keys === null ? undefined : newFrame(value, value, keys, keys.length);
}

const OMITTED = '';

function jsonStep(given, key) {
  let value = given;
  if ((typeof value === 'object' && value !== null) || typeof value === 'bigint') {
    const { toJSON } = value;
    if (typeof toJSON === 'function') value = apply(toJSON, value, [key]);
  }
  if (typeof value === 'object' && value !== null) {
    if (isNumberObject(value)) value = +value;
    else if (isStringObject(value)) value = `${value}`;
    else if (isBooleanObject(value)) value = booleanValue(value);
  }
  if (typeof value === 'number') return isFinite(value) ? stringify(value) : 'null';
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol')
    return OMITTED;
  if (typeof value !== 'object' || value === null) return strictStep(value);
  if (isPromise(value) || isBigIntObject(value)) return undefined;
  const keys = isArray(value) ? null : objectKeys(value);
  return newFrame(value, value, keys, keys === null ? value.length : keys.length);
}

// The JSON text of a value; undefined where there is none at the root. Throws a TypeError that
// names the path, or a RangeError for what no string can hold. rich: in place of both ways, what
// makes the steps; describes what it refuses; and is told where in the text a leaf's own gap is.
export function toText(root, strict, rich) {
  if (root === undefined) return undefined;
  const stack = list();
  const ancestors = new Set();
  let depth = 0;
  let levels = 0;
  let out = '';
  let value = root;
  let key;

  const enter = () => {
    let step;
    try {
      if (rich !== undefined) step = rich.step(value);
      else step = strict ? strictStep(value) : jsonStep(value, key === undefined ? '' : '' + key);
    } catch (error) {
      if (error instanceof RangeError) throw error;
      throw refusal(pathOf(stack, depth), `no value that can be read: ${briefly(error)}`);
    }
    if (step === undefined) {
      const what = rich === undefined ? describe(value) : rich.describe(value);
      throw refusal(pathOf(stack, depth), what);
    }
    const leaf = typeof step === 'string';
    const more = leaf ? (rich !== undefined && step[0] === '{' ? 1 : 0) : step.levels;
    if (levels + more > DEPTH_MAX)
      throw refusal(pathOf(stack, min(depth, 8)), `over ${DEPTH_MAX} levels deep`);
    if (leaf) return step;
    if (setHas(ancestors, step.value))
      throw refusal(pathOf(stack, depth), 'part of itself, a cycle');
    setAdd(ancestors, step.value);
    stack[depth++] = step;
    levels += more;
    return step.open;
  };

  const put = (text) => {
    out += text;
    if (rich !== undefined && rich.gap !== null) rich.place(out.length, pathOf(stack, depth));
  };

  const rootText = enter();
  if (rootText === OMITTED) return undefined;
  put(rootText);
  while (depth > 0) {
    const frame = stack[depth - 1];
    if (frame.next === frame.length) {
      out += frame.close;
      setDelete(ancestors, frame.value);
      levels -= frame.levels;
      stack[--depth] = undefined;
      continue;
    }
    key = frame.at = frame.keys === null ? frame.next : frame.keys[frame.next];
    frame.next++;
    try {
      value = frame.source[key];
    } catch (error) {
      throw refusal(pathOf(stack, depth), `a getter that threw: ${briefly(error)}`);
    }
    let text = enter();
    if (text === OMITTED) {
      if (frame.keys !== null) continue;
      text = 'null';
    }
    if (frame.shape === IN_MAP) out += frame.next % 2 === 0 ? ',' : frame.any ? '],[' : '[';
    else if (frame.any) out += ',';
    frame.any = true;
    put(frame.keys === null ? text : stringify(key) + ':' + text);
  }
  return out;
}

export function briefly(error) {
  try {
    return engine.slice(engine.String(error), 0, 200);
  } catch {
    return 'something that has no text';
  }
}
