}); (async () => { return 5;
