((async () => 42) as () => Promise<number>)!;
