type A = number;
function one(): A {
  return 1;
}
