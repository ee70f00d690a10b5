// Frames: those from home, bytes to words and payloads, in any chunking; and those to it. No
// process, no program.

const HEADER_MAX = 256;
const LF = 10;

// How many of a frame's words stand before the size, by its first word; -1: it has no payload.
const SIZED = {
  __proto__: null,
  boot: 1,
  reply: 3,
  stop: -1,
  ping: -1,
  asset: 2,
  seg: 2,
  ack: -1,
  resume: -1,
};

// onFrame(words, payload): payload is a Buffer that lives until onFrame returns, or null.
export function newReader(frameBytes, onFrame) {
  let header = '';
  let words = null;
  let payload = null;
  let filled = 0;

  // The size of the payload that follows, or -1: none does.
  const begin = (line) => {
    words = line.split(' ');
    const before = SIZED[words[0]];
    // The line for the shell of section 6 goes by.
    if (before === undefined && words.length === 1 && line.endsWith('.')) return -1;
    if (before === undefined) throw new Error(`an unknown frame from home: ${line.slice(0, 40)}`);
    if (before < 0) {
      onFrame(words, null);
      return -1;
    }
    const size = Number(words[before]);
    if (words.length !== before + 1 || !Number.isInteger(size) || size < 0 || size > frameBytes) {
      throw new Error(`a bad frame from home: ${line.slice(0, 40)}`);
    }
    return size;
  };

  const deliver = (bytes) => {
    const complete = words;
    words = payload = null;
    onFrame(complete, bytes);
  };

  return {
    feed(chunk) {
      let at = 0;
      while (at < chunk.length) {
        if (payload !== null) {
          const part = Math.min(payload.length + 1 - filled, chunk.length - at);
          chunk.copy(payload, filled, at, at + part);
          filled += part;
          at += part;
          if (filled === payload.length + 1) deliver(payload);
          continue;
        }
        const end = chunk.indexOf(LF, at);
        const part = chunk.latin1Slice(at, end < 0 ? chunk.length : end);
        if (header.length + part.length > HEADER_MAX)
          throw new Error('an endless header from home');
        header += part;
        if (end < 0) return;
        at = end + 1;
        const line = header;
        header = '';
        const size = begin(line);
        if (size < 0) continue;
        if (at + size < chunk.length) {
          deliver(chunk.subarray(at, at + size));
          at += size + 1;
        } else {
          payload = Buffer.allocUnsafeSlow(size);
          filled = 0;
        }
      }
    },
  };
}

export function frame(header, value) {
  if (value === undefined) return Buffer.from(`${header}\n`);
  const payload = JSON.stringify(value);
  return Buffer.from(`${header} ${Buffer.byteLength(payload)}\n${payload}\n`);
}
