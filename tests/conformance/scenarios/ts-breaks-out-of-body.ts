}); (async (): Promise<number> => { return 5;
