// The worker's end of the link: writes frames, and waits while home does not take them.
//
// Runs after the program did its worst to the globals, so it uses saved intrinsics alone.

import { engine, now } from './intrinsics.js';
import { state as S, figure as F, viewLink } from './link.js';

const { load, store, exchange, wait, slice, codeUnit, bufferCopy, defineProperty, min } = engine;
const { latin1Write, utf8Write } = Buffer.prototype;
// Characters that are encoded at once; each takes three bytes at most.
const PART = 16 << 10;

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

  const putWide = (text) => {
    for (let at = 0; at < text.length;) {
      let end = min(text.length, at + PART);
      const unit = codeUnit(text, end - 1);
      // A pair that stands across two parts stays together. JSON texts have no half of one.
      if (unit >= 0xd800 && unit <= 0xdbff && end < text.length) end--;
      putScratch(scratch.utf8Write(slice(text, at, end), 0, 3 * PART));
      at = end;
    }
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
    // A frame whose payload is text of that many bytes. Once the link is closed, none is begun.
    write(header, text, bytes) {
      const line = bytes < 0 ? header + '\n' : header + ' ' + bytes + '\n';
      store(state, S.OPEN, 1);
      if (load(state, S.CLOSED) !== 0) {
        store(state, S.OPEN, 0);
        halt();
      }
      put(line, line.length);
      if (bytes > 0) put(text, bytes);
      if (bytes >= 0) put('\n', 1);
      store(state, S.OPEN, 0);
      wake();
    },
    // Whether the last words are this thread's to say; asked once.
    claimEnd: () => exchange(state, S.OVER, 1) === 0,
  };
}
