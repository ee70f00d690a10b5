return Math.max(1，2);
