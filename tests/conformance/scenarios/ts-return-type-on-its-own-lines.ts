const f = (
  a: number,
):
  number =>
  a + 1;
const g = async <
  T,
>(x: T): Promise<T> => x;
return [f(1), await g(2)];
