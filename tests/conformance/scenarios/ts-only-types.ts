interface A { a: string }
type B = A;
