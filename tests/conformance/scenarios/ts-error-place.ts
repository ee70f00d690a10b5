interface A { x: number }
type B = {
  y: string;
};
const a: A = JSON.parse('{"x":1}') as A; throw new Error(`at ${a.x}`);
