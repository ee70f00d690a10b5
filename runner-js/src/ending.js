// How the program's end is told: the last words of the worker, one way or another.

import { engine, reserve } from './intrinsics.js';
import { figure as F } from './link.js';
import { overText } from './ledger.js';

const { byteLength, stringify } = engine;

// kept: what store() was given; last: called behind the last frame.
export function newEnding(outputBytes, outlet, gauge, kept, last) {
  const { figures } = outlet;

  // Nothing of the program runs after them.
  const over = (how, text, bytes, quote) => {
    reserve(true);
    if (!outlet.claimEnd()) outlet.halt();
    try {
      const stats = gauge.stats();
      const writes = how === 'ok' ? kept.writes() : undefined;
      if (writes !== undefined) outlet.write('store', writes, byteLength(writes));
      outlet.write('stats', stats, stats.length);
      outlet.write(`done ${how}`, text, bytes, quote);
    } finally {
      last();
      outlet.halt();
    }
  };

  const fail = (told) => {
    // Without a prototype: its toJSON would be the program's.
    let text = stringify({ __proto__: null, ...told });
    const metered = byteLength(stringify(told.stack ?? told.message));
    if (figures[F.METERED] + metered > outputBytes) {
      text = stringify({
        __proto__: null,
        kind: 'output-limit',
        code: 'output_limit',
        message: overText(outputBytes),
      });
    }
    over('error', text, byteLength(text));
  };

  return {
    fail,
    cancelled: () => fail({ kind: 'abort', code: 'cancelled', message: 'cancelled' }),
    failOver: () =>
      fail({ kind: 'output-limit', code: 'output_limit', message: overText(outputBytes) }),
    // A value of that many bytes; with quote, a string that becomes JSON while it is written.
    succeed: (text, bytes, quote) => over('ok', text, bytes, quote),
  };
}
