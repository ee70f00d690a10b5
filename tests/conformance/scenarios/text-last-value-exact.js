const a = [1];
a
