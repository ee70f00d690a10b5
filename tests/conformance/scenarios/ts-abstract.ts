abstract class Shape {
  abstract area(): number;
  declare tag: string;
  protected static count: number = 0;
  public describe(): string { return `area ${this.area()}`; }
}
class Square extends Shape implements Iterable<number> {
  readonly side: number = 3;
  override area(): number { return this.side ** 2; }
  *[Symbol.iterator](): Iterator<number> { yield this.side; }
}
declare const outside: { never: string };
declare function alsoOutside(x: number): void;
return [new Square().describe(), [...new Square()], 'tag' in new Square()];
