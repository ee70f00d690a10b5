function isText(x: unknown): x is string { return typeof x === 'string'; }
function sure(x: unknown): asserts x is number { if (typeof x !== 'number') throw new Error('no'); }
const map = new Map<string, Array<{ n?: number }>>([['a', [{ n: 1 }]]]);
const n = map.get('a')?.[0]?.n!;
sure(n);
function self(this: { k: number }, x = 1): number { return this.k + x; }
return [isText('a'), n, self.call({ k: 2 })];
