function one() {
  return 1;
}
one();
