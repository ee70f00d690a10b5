function wide(x: string): string;
function wide(x: number): number;
function wide(x: string | number): string | number { return x; }
class Box {
  get(key: 'a'): number;
  get(key: 'b'): string;
  get(key: string): unknown { return key; }
}
return [wide(1), wide('a'), new Box().get('b')];
