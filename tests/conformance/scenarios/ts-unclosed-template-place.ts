const a: number = 1;
return `abc
