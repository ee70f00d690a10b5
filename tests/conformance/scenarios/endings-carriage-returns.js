const a = 1;
// second
throw new Error("third line");
