function () {
  return 42;
};
