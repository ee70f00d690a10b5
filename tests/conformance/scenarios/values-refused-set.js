return new Set([1]);
