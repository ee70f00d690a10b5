const shared = new Uint8Array([1, 2, 3]);
const sent = {
  none: undefined, nan: NaN, zero: -0, big: 10n ** 20n, date: new Date(0), pattern: /a+/gi,
  map: new Map([[{ a: 1 }, new Set([1])]]), error: new TypeError('bad', { cause: new Error('why') }),
  buffer: shared.buffer, bytes: shared, floats: new Float64Array([0.5, NaN]),
  view: new DataView(shared.buffer, 1),
};
const got = await tools.echo(sent);
const odd = Object.keys(got).filter((key) => {
  const value = got[key];
  if (typeof value !== 'object') return false;
  const { name, constructor } = value.constructor;
  return !(value instanceof globalThis[name]) || constructor !== Function;
});
const { error, map, floats, bytes } = got;
return [odd, Object.keys(got).length, error.name, error.cause instanceof Error,
  [...map.values()][0] instanceof Set, [...bytes], floats[0], got.big === sent.big];
