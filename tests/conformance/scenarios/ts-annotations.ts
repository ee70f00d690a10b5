interface Point { x: number; y: number }
type Named<T> = T & { name: string };
const point: Named<Point> = { x: 1, y: 2, name: 'p' };
function add(a: number, b?: number, ...rest: number[]): number {
  return a + (b ?? 0) + rest.length;
}
const list: Array<readonly [string, number]> = [['a', 1]];
let later!: string;
later = 'set';
return { point, sum: add(1, 2, 3), list, later };
