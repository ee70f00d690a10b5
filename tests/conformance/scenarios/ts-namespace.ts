namespace Shapes {
  export const sides = 4;
  export function area(a: number): number { return a ** 2; }
  export namespace Inner { export const name: string = 'inner'; }
}
return [Shapes.sides, Shapes.area(3), Shapes.Inner.name];
