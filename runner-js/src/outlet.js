// The worker's end of the link: writes frames, and waits while home does not take them.
//
// Runs after the program did its worst to the globals, so it uses saved intrinsics alone.

import { engine, now } from './intrinsics.js';
import { state as S, figure as F, viewLink } from './link.js';

const { load, store, exchange, wait, slice, bufferFrom, bufferCopy, min } = engine;
const { latin1Write, utf8Write } = Buffer.prototype;

export function newOutlet(memory, wakeMain) {
  const { state, figures, ring, size } = viewLink(memory);
  // Own methods: what becomes of Buffer.prototype is no concern here.
  ring.latin1Write = latin1Write;
  ring.utf8Write = utf8Write;
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

  const putBytes = (bytes, count) => {
    for (let at = 0; at < count;) {
      const part = min(room(), count - at);
      bufferCopy(bytes, ring, head & (size - 1), at, at + part);
      at += part;
      publish(part);
    }
  };

  const put = (text, bytes) => {
    if (bytes <= room()) {
      const at = head & (size - 1);
      if (bytes === text.length) ring.latin1Write(text, at, bytes);
      else ring.utf8Write(text, at, bytes);
      publish(bytes);
    } else if (bytes === text.length) {
      for (let at = 0; at < bytes;) {
        const part = min(room(), bytes - at);
        ring.latin1Write(slice(text, at, at + part), head & (size - 1), part);
        at += part;
        publish(part);
      }
    } else {
      putBytes(bufferFrom(text, 'utf8'), bytes);
    }
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
