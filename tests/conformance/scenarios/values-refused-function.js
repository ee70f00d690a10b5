return { f: () => 1 };
