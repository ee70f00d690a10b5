const order: string[] = [];
{
  using a: Disposable = { [Symbol.dispose]() { order.push('a'); } };
  await using b = { async [Symbol.asyncDispose]() { order.push('b'); } };
  order.push('body');
}
return order;
