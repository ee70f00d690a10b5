// Fits JavaScript alone: to TypeScript, <T>(x) in front of a value is a cast.
const a = 5, T = 7, x = 1;
const type = a <T> x;
return type;
