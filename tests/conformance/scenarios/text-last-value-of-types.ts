const a: number = 1;
(a + 1) as number;
