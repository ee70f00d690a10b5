function* all() {
  yield 1;
}
return [...all()];
