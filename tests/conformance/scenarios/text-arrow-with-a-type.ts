async (): Promise<number> => {
  return 42;
};
