async () => 42;
