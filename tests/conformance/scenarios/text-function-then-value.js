function one() {
  return 1;
}
return one() + 1;
