const early = 1;
await import('parts');
