// Both streams in numbered pieces, for places whose way may break and be found again: what home
// has not acknowledged is kept, and said again from where home wants it.
//
// Stands between the sink and who writes to it. Bare until begin(): then every byte passes as it
// came. Knows no frames but its own lines.

const PIECE_BYTES = 32 << 10;
const LF = Buffer.from('\n');

// Buffers in the order in which they were written, each with the offset of its first byte.
function newKept() {
  let parts = [];
  let first = 0; // Those before it are no longer needed.
  let at = 0; // The one that the last piece ended in.

  const ends = (i) => parts[i].at + parts[i].bytes.length;
  return {
    add: (offset, bytes) => parts.push({ at: offset, bytes }),
    forget(offset) {
      while (first < parts.length && ends(first) <= offset) parts[first++] = null;
      if (first < 1024 || first < parts.length / 2) return;
      parts = parts.slice(first);
      at = Math.max(0, at - first);
      first = 0;
    },
    // The bytes [from, to) as pieces of buffers.
    slice(from, to) {
      if (at < first || parts[at] === undefined || parts[at].at > from) at = first;
      while (ends(at) <= from) at++;
      const found = [];
      for (let i = at; i < parts.length && parts[i].at < to; i++) {
        const { at: offset, bytes } = parts[i];
        found.push(bytes.subarray(Math.max(0, from - offset), to - offset));
      }
      return found;
    },
  };
}

// hello: what was said before, and is said again where home has nothing yet.
export function newSegments(sink, mark, hello) {
  const kept = newKept();
  let window = 0; // How much may be unacknowledged; 0: bare.
  let acked = 0;
  let next = 0; // Offset of what is sent next.
  let written = 0;
  let heard = 0; // Of home's stream, in order.
  let told = 0;
  let epoch = 0;
  let waiting = [];

  const line = (text) => sink.write(Buffer.from(`${text}\n`));
  const full = () => (window === 0 ? sink.full() : written - acked > window);

  const pump = () => {
    while (next < written && next - acked < window) {
      if (sink.full()) return sink.whenReady(pump);
      const end = Math.min(written, next + PIECE_BYTES, acked + window);
      const header = Buffer.from(`seg ${next} ${end - next}\n`);
      sink.write(Buffer.concat([header, ...kept.slice(next, end), LF]));
      next = end;
    }
    return undefined;
  };

  const acknowledge = (offset) => {
    if (!(offset >= acked && offset <= written))
      throw new Error(`home acknowledges byte ${offset} of ${written}`);
    acked = offset;
    kept.forget(offset);
    if (full()) return;
    const ready = waiting;
    waiting = [];
    for (const call of ready) call();
  };

  return {
    write(bytes) {
      if (window === 0) return sink.write(bytes);
      kept.add(written, bytes);
      written += bytes.length;
      return pump();
    },
    full,
    // Whether home has it all.
    empty: () => (window === 0 ? sink.empty() : acked === written),
    whenReady(call) {
      if (window === 0) return sink.whenReady(call);
      if (!waiting.includes(call)) waiting.push(call);
      return undefined;
    },
    begin(bytes) {
      window = bytes;
      line(`resumed ${mark} 0 0`);
    },
    // A piece of home's, of which take(bytes) gets what is new. What stands behind a gap was under
    // way when the way broke; it will be sent again.
    seg(offset, bytes, take) {
      if (offset > heard || offset + bytes.length <= heard) return;
      const fresh = bytes.subarray(heard - offset);
      heard += fresh.length;
      take(fresh);
      if (heard - told < window / 4) return;
      told = heard;
      line(`ack ${heard}`);
    },
    ack(offset) {
      acknowledge(offset);
      next = Math.max(next, acked);
      pump();
    },
    resume(number, offset) {
      if (number <= epoch) return;
      epoch = number;
      acknowledge(offset);
      next = acked;
      if (offset === 0) sink.write(hello);
      line(`resumed ${mark} ${epoch} ${heard}`);
      told = heard;
      pump();
    },
  };
}
