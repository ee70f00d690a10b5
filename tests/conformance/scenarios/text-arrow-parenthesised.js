(async () => 42);
