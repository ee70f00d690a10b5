// text(), image(), emit() and file(): what a program shows besides its logs, as items of
// docs/protocol.md, section 9.
//
// Knows what may be shown and what becomes of it; knows neither frames nor the ledger:
// tell(payload) does.

import * as types from 'node:util/types';
import { engine, follow, reserve } from './intrinsics.js';
import { toText } from './values.js';

const { isAnyArrayBuffer, isArrayBufferView } = types;
const { getOwnPropertyDescriptor, isArray, isInteger, stringify, parse } = engine;
const { slice, indexOf, endsWith, lowerCase, startsWith, exec, codeUnit } = engine;
const { receiverFirst } = engine;
const { TypeError, RangeError, Promise, String } = engine;
const base64Slice = receiverFirst(Buffer.prototype.base64Slice);
const base64Write = receiverFirst(Buffer.prototype.base64Write);
const latin1Slice = receiverFirst(Buffer.prototype.latin1Slice);
const encoder = new TextEncoder();
const encode = receiverFirst(TextEncoder.prototype.encode);
// A realm of its own has none.
const { Blob } = globalThis;
const blobSize = Blob && receiverFirst(getOwnPropertyDescriptor(Blob.prototype, 'size').get);
const readBlob = Blob && receiverFirst(Blob.prototype.arrayBuffer);
const Bytes = Uint8Array;
const HEAD_BYTES = 12;
const scratch = Buffer.allocUnsafeSlow(HEAD_BYTES);
const BLANKS = /\s+/g;
const NO_BASE64 = /[^A-Za-z0-9+/]/;
const REMOTE = /^https?:/i;

const NO_IMAGE =
  'image expects a non-empty image URL string, an object with image_url, or a raw MCP image block';
const NO_DATA_URI = 'invalid image output. Pass a base64 data URI instead';

// A member of something that may throw instead, or answer otherwise the next time.
function read(value, name) {
  try {
    return value[name];
  } catch {
    return undefined;
  }
}

const isObject = (value) => typeof value === 'object' && value !== null;

// A member of what JSON.parse made, whatever became of the prototypes.
function own(object, name) {
  const member = isObject(object) ? getOwnPropertyDescriptor(object, name) : undefined;
  return member === undefined ? undefined : member.value;
}

const hasText = (object, name) => typeof own(object, name) === 'string';

function isBlob(value) {
  if (Blob === undefined || !isObject(value)) return false;
  try {
    blobSize(value);
    return true;
  } catch {
    return false;
  }
}

const isBytes = (value) => isAnyArrayBuffer(value) || isArrayBufferView(value);

const base64Of = (bytes) => base64Slice(isAnyArrayBuffer(bytes) ? new Bytes(bytes) : bytes);

// Throws where there is no text.
function render(value) {
  const plain = !isObject(value) && typeof value !== 'function';
  const json = plain ? undefined : toText(value, false);
  return json === undefined ? String(value) : json;
}

function renderAnyhow(value) {
  try {
    return render(value);
  } catch {
    try {
      return String(value);
    } catch {
      return 'something that has no text';
    }
  }
}

// --- Base64 ------------------------------------------------------------------------------------

function withoutBlanks(text) {
  let out = '';
  let from = 0;
  BLANKS.lastIndex = 0;
  for (let found = exec(BLANKS, text); found !== null; found = exec(BLANKS, text)) {
    out += slice(text, from, found.index);
    from = BLANKS.lastIndex;
  }
  return from === 0 ? text : out + slice(text, from);
}

// How many bytes a text of base64 stands for; -1: it is none.
function sizeOfBase64(text) {
  const { length } = text;
  const pads = endsWith(text, '==') ? 2 : endsWith(text, '=') ? 1 : 0;
  if (length % 4 !== 0 || exec(NO_BASE64, slice(text, 0, length - pads)) !== null) return -1;
  return (length / 4) * 3 - pads;
}

// --- Images ------------------------------------------------------------------------------------

// What the first bytes say that it is; undefined: none of these.
function imageType(data) {
  const count = base64Write(scratch, slice(data, 0, 16), 0, HEAD_BYTES);
  const head = latin1Slice(scratch, 0, count);
  if (startsWith(head, '\x89PNG\r\n\x1a\n')) return 'image/png';
  if (startsWith(head, 'GIF87a') || startsWith(head, 'GIF89a')) return 'image/gif';
  if (startsWith(head, 'RIFF') && slice(head, 8) === 'WEBP') return 'image/webp';
  // 0xf7 would be JPEG-LS, which nobody shows, and its neighbours are nothing.
  const kind = head.length > 3 ? codeUnit(head, 3) & 0xfc : 0;
  return startsWith(head, '\xff\xd8\xff') && kind !== 0xf4 ? 'image/jpeg' : undefined;
}

function dataOfUri(text) {
  if (text === '') throw new TypeError(NO_IMAGE);
  if (exec(REMOTE, text) !== null) {
    throw new TypeError(
      'remote image URLs are not supported in tool outputs. Pass a base64 data URI instead',
    );
  }
  const comma = indexOf(text, ',');
  const head = lowerCase(slice(text, 0, comma < 0 ? 0 : comma));
  if (!startsWith(head, 'data:') || !endsWith(head, ';base64')) throw new TypeError(NO_DATA_URI);
  return slice(text, comma + 1);
}

function dataOfBlock(value, type) {
  if (type === undefined) throw new TypeError(NO_IMAGE);
  if (type !== 'image') {
    const name = typeof type === 'string' ? type : typeof type;
    throw new TypeError(`image only accepts MCP image blocks, got "${name}"`);
  }
  const data = read(value, 'data');
  if (typeof data !== 'string' || data === '') throw new TypeError('image expected MCP image data');
  return startsWith(lowerCase(slice(data, 0, 5)), 'data:') ? dataOfUri(data) : data;
}

function dataOfImage(value) {
  if (typeof value === 'string') return dataOfUri(value);
  if (!isObject(value) || isArray(value)) throw new TypeError(NO_IMAGE);
  if (isBytes(value)) return base64Of(value);
  const url = read(value, 'image_url');
  if (typeof url === 'string') return dataOfUri(url);
  return dataOfBlock(value, url === undefined ? read(value, 'type') : undefined);
}

// --- Files and content blocks ------------------------------------------------------------------

function fileItem(name, mimeType, data, size) {
  const named = name === undefined ? '' : `"name":${stringify(name)},`;
  const typed = `"mimeType":${stringify(mimeType)},"encoding":"base64"`;
  return `{"type":"file",${named}${typed},"data":"${data}","byteLength":${size}}`;
}

function itemOfBytes(name, given, bytes) {
  const data = base64Of(bytes);
  const mimeType = given || imageType(data) || 'application/octet-stream';
  return fileItem(name, mimeType, data, sizeOfBase64(data));
}

// The item of a well-formed ToolFile, or undefined.
function itemOfToolFile(value) {
  if (read(value, '_tag') !== 'ToolFile' || read(value, 'encoding') !== 'base64') return undefined;
  const name = read(value, 'name');
  const mimeType = read(value, 'mimeType');
  const data = read(value, 'data');
  const size = read(value, 'byteLength');
  if (name !== undefined && typeof name !== 'string') return undefined;
  if (typeof mimeType !== 'string' || typeof data !== 'string' || !isInteger(size))
    return undefined;
  return sizeOfBase64(data) === size ? fileItem(name, mimeType, data, size) : undefined;
}

const BLOCKS = {
  __proto__: null,
  text: (block) => hasText(block, 'text'),
  image: (block) => hasText(block, 'data') && hasText(block, 'mimeType'),
  audio: (block) => hasText(block, 'data') && hasText(block, 'mimeType'),
  resource: (block) => {
    const resource = own(block, 'resource');
    return hasText(resource, 'uri') && (hasText(resource, 'text') || hasText(resource, 'blob'));
  },
  resource_link: (block) => hasText(block, 'uri') && hasText(block, 'name'),
};

// The item of a content block of the Model Context Protocol, or undefined. What is looked at is
// what is sent.
function itemOfBlock(value) {
  const type = read(value, 'type');
  if (typeof type !== 'string' || BLOCKS[type] === undefined) return undefined;
  let text;
  try {
    text = toText({ __proto__: null, type: 'content', content: value }, false);
  } catch {
    return undefined;
  }
  const block = own(parse(text), 'content');
  return own(block, 'type') === type && BLOCKS[type](block) ? text : undefined;
}

// --- The functions -----------------------------------------------------------------------------

// tell(payload) does not return where there is no room. reading(count) is told of files that are
// being read.
export function newItems(tell, reading) {
  const tellText = (text) => tell(`{"type":"text","text":${stringify(text)}}`);

  // What is in a Blob comes later; a promise says when.
  const tellBlob = (name, given, blob) => {
    const type = given ?? read(blob, 'type');
    return new Promise((resolve, reject) => {
      reserve(true);
      const promised = readBlob(blob); // May throw.
      reading(1);
      const done = (settle, result) => {
        settle(result);
        reading(-1);
      };
      const tellBytes = (bytes) => {
        tell(itemOfBytes(name, typeof type === 'string' ? type : undefined, bytes));
        done(resolve);
      };
      follow(promised, tellBytes, (error) => done(reject, error));
    });
  };

  const nameOf = (value) => {
    const name = read(value, 'name');
    return typeof name === 'string' ? name : undefined;
  };

  return {
    __proto__: null,

    text(value) {
      let text;
      try {
        text = render(value);
      } catch (error) {
        if (error instanceof RangeError) throw error;
        throw new TypeError(`text() takes what is JSON or no object: ${read(error, 'message')}`);
      }
      tellText(text);
    },

    image(value) {
      const data = withoutBlanks(dataOfImage(value));
      if (sizeOfBase64(data) < 1) {
        throw new TypeError(
          'invalid image output. The image data is not valid base64 (truncated or corrupted?)',
        );
      }
      const mimeType = imageType(data);
      if (mimeType === undefined) {
        throw new TypeError(
          'invalid image output. The image data is not a PNG, JPEG, GIF, or WebP image',
        );
      }
      tell(`{"type":"image","mimeType":"${mimeType}","data":"${data}"}`);
    },

    emit(value) {
      if (isBlob(value)) return tellBlob(nameOf(value), undefined, value);
      const item = !isObject(value)
        ? undefined
        : isBytes(value)
          ? itemOfBytes(undefined, undefined, value)
          : (itemOfToolFile(value) ?? itemOfBlock(value));
      if (item !== undefined) return tell(item);
      return tellText(renderAnyhow(value));
    },

    file(name, content, options) {
      if (name !== undefined && name !== null && typeof name !== 'string')
        throw new TypeError('file() name must be a string');
      const known = name ?? undefined;
      const given = isObject(options) ? read(options, 'mimeType') : undefined;
      if (given !== undefined && typeof given !== 'string')
        throw new TypeError('file() mimeType must be a string');
      if (isBlob(content)) return tellBlob(known ?? nameOf(content), given, content);
      if (typeof content === 'string')
        return tell(itemOfBytes(known, given ?? 'text/plain', encode(encoder, content)));
      if (!isBytes(content)) throw new TypeError('file() takes a string, bytes or a Blob');
      return tell(itemOfBytes(known, given, content));
    },
  };
}
