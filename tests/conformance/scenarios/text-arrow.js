async () => {
  return 42;
};
