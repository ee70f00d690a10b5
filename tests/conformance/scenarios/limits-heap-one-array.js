return new Array(1e8).fill(0).map((_, i) => ({ i })).length;
