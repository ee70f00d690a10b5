const a = 1;
{
  using b = { [Symbol.dispose]() { return a; } };
}
