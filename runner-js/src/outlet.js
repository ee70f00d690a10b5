// The worker's end of the link: writes frames, and waits while home does not take them.
//
// Runs after the program did its worst to the globals, so it uses saved intrinsics alone.

import { engine, now } from './intrinsics.js';
import { state as S, figure as F, viewLink } from './link.js';

const { load, store, exchange, wait, slice, codeUnit, bufferCopy, defineProperty, min } = engine;
const { stringify, byteLength } = engine;
const { latin1Write, utf8Write } = Buffer.prototype;
// Characters that are encoded at once; each takes three bytes at most.
const PART = 16 << 10;

// How many bytes more each byte of UTF-8 takes as JSON. Behind 0xef may stand what had half a pair.
const ODD = 1 << 20;
const MORE = new Int32Array(256).fill(5, 0, 0x20);
for (const byte of Buffer.from('\b\t\n\f\r"\\')) MORE[byte] = 1;
MORE[0xef] = ODD;

// What node's own code asks of a buffer becomes its own property: what becomes of the prototypes
// is no concern here.
function withOwn(buffer, size) {
  const own = { __proto__: null, latin1Write, utf8Write, byteLength: size, length: size };
  for (const name of ['latin1Write', 'utf8Write', 'byteLength', 'length']) {
    defineProperty(buffer, name, { __proto__: null, value: own[name] });
  }
  return buffer;
}

export function newOutlet(memory, wakeMain) {
  const { state, figures, ring, size } = viewLink(memory);
  withOwn(ring, size);
  const scratch = withOwn(Buffer.allocUnsafeSlow(3 * PART), 3 * PART);
  let head = 0;

  const wake = () => {
    if (exchange(state, S.WAKE, 1) === 0) wakeMain();
  };

  const publish = (count) => {
    head = (head + count) | 0;
    store(state, S.HEAD, head);
  };

  // How many bytes fit without a gap; waits for at least one.
  const room = () => {
    for (;;) {
      const tail = load(state, S.TAIL);
      const free = size - ((head - tail) | 0);
      if (free > 0) return min(free, size - (head & (size - 1)));
      figures[F.WAIT_SINCE] = now();
      store(state, S.WAITING, 1);
      wake();
      wait(state, S.TAIL, tail);
      store(state, S.WAITING, 0);
      figures[F.WAITED] += now() - figures[F.WAIT_SINCE];
    }
  };

  const putScratch = (count) => {
    for (let at = 0; at < count;) {
      const part = min(room(), count - at);
      bufferCopy(scratch, ring, head & (size - 1), at, at + part);
      at += part;
      publish(part);
    }
  };

  const putAscii = (text) => {
    for (let at = 0; at < text.length;) {
      const part = min(room(), text.length - at);
      const whole = part === text.length ? text : slice(text, at, at + part);
      ring.latin1Write(whole, head & (size - 1), part);
      at += part;
      publish(part);
    }
  };

  // A pair that stands across two parts stays together. JSON texts have no half of one.
  const partEnd = (text, at) => {
    const end = min(text.length, at + PART);
    const unit = codeUnit(text, end - 1);
    return unit >= 0xd800 && unit <= 0xdbff && end < text.length ? end - 1 : end;
  };

  const putWide = (text) => {
    for (let at = 0; at < text.length;) {
      const end = partEnd(text, at);
      putScratch(scratch.utf8Write(slice(text, at, end), 0, 3 * PART));
      at = end;
    }
  };

  // Of so many bytes in scratch, how many more they take as JSON; from ODD on, it is not known.
  const moreOf = (count) => {
    let more = 0;
    for (let i = 0; i < count; i++) more += MORE[scratch[i]];
    return more;
  };

  const putQuoted = (text) => {
    put('"', 1);
    for (let at = 0; at < text.length;) {
      const end = partEnd(text, at);
      const part = slice(text, at, end);
      const count = scratch.utf8Write(part, 0, 3 * PART);
      if (moreOf(count) === 0) putScratch(count);
      else putWide(slice(stringify(part), 1, -1));
      at = end;
    }
    put('"', 1);
  };

  const put = (text, bytes) => {
    if (bytes === text.length) putAscii(text);
    else if (bytes <= room()) {
      ring.utf8Write(text, head & (size - 1), bytes);
      publish(bytes);
    } else putWide(text);
  };

  // Stops this thread for good: what it still had to do no longer matters.
  const halt = () => {
    wake();
    for (;;) wait(state, S.OPEN, load(state, S.OPEN));
  };

  return {
    figures,
    wake,
    halt,
    // How many bytes a string takes as JSON, found in less time than it takes to make that.
    measure(text) {
      let bytes = 2;
      for (let at = 0; at < text.length;) {
        const end = partEnd(text, at);
        const part = slice(text, at, end);
        const count = scratch.utf8Write(part, 0, 3 * PART);
        const more = moreOf(count);
        bytes += more < ODD ? count + more : byteLength(stringify(part)) - 2;
        at = end;
      }
      return bytes;
    },
    // A frame whose payload is text of that many bytes, or with quote the string as JSON of that
    // many bytes, part by part: its first bytes are at home before the last ones are made. Once
    // the link is closed, none is begun.
    write(header, text, bytes, quote = false) {
      const line = bytes < 0 ? header + '\n' : header + ' ' + bytes + '\n';
      store(state, S.OPEN, 1);
      if (load(state, S.CLOSED) !== 0) {
        store(state, S.OPEN, 0);
        halt();
      }
      put(line, line.length);
      if (quote) putQuoted(text);
      else if (bytes > 0) put(text, bytes);
      if (bytes >= 0) put('\n', 1);
      store(state, S.OPEN, 0);
      wake();
    },
    // Until the main thread has its descriptors, and an eye on them.
    awaitWatch: () => wait(state, S.WATCHED, 0),
    // Whether the last words are this thread's to say; asked once.
    claimEnd: () => exchange(state, S.OVER, 1) === 0,
  };
}
