function* main() {
  yield 1;
}
