const ok = 1;
const = 2;
