// What the program shows while it runs: logs and items, metered as at home.

import { engine, reserve } from './intrinsics.js';
import { figure as F } from './link.js';
import { OPENING_BYTES, overflowing } from './ledger.js';

const { byteLength, stringify } = engine;

// failOver: ends the run; it does not return.
export function newEntries(outputBytes, outlet, failOver) {
  const { figures } = outlet;
  let entries = 0;

  figures[F.METERED] = OPENING_BYTES;
  return {
    say(level, text) {
      reserve();
      const comma = entries > 0 ? 1 : 0;
      const room = outputBytes - figures[F.METERED] - comma;
      // No character takes less than a byte: what is longer than the room need not be rendered.
      let payload = text.length > room ? '' : stringify(text);
      let bytes = payload === '' ? room + 1 : byteLength(payload);
      if (bytes > room) {
        payload = stringify(overflowing(text, room));
        bytes = byteLength(payload);
      }
      outlet.write(`log ${level}`, payload, bytes);
      entries++;
      figures[F.METERED] += comma + bytes;
      if (bytes > room) failOver();
    },
    // The JSON text of an item.
    show(payload) {
      reserve();
      const comma = entries > 0 ? 1 : 0;
      const room = outputBytes - figures[F.METERED] - comma;
      const bytes = payload.length > room ? room + 1 : byteLength(payload);
      if (bytes > room) failOver();
      outlet.write('item', payload, bytes);
      entries++;
      figures[F.METERED] += comma + bytes;
    },
  };
}
