return { c: -0 };
