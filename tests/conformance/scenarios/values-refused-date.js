return { when: new Date(0) };
