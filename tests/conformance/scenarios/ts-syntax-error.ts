interface A { x: number }
const a: A = { x: 1 };
const b: = 2;
return a;
