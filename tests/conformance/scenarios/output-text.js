text('as it is\n');
text('');
for (const value of [undefined, null, true, 0, -0, NaN, 10n, Symbol('s')]) text(value);
text({ a: [1, undefined, () => 1], b: undefined });
text([]);
text(new Date(0));
text(
  Object.assign(() => 1, {
    toString: () => 'a function',
  }),
);
text({ toJSON: () => undefined, toString: () => 'no JSON' });
text('\ud800 half a pair');
return text('x') === undefined;
