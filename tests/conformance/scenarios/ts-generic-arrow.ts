const same = <T,>(x: T): T => x;
const pair = async <A, B extends object>(a: A, b: B): Promise<[A, B]> => [a, b];
return [same<number>(1), await pair('a', { b: 2 })];
