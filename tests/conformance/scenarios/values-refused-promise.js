return { user: Promise.resolve(1) };
