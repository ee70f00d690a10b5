// Valid in both languages with two meanings: TypeScript, which is tried first, sees type
// arguments, so what is called is no function.
const yes = 3, no = 2, z = 1;
return [yes < no > (z), `${yes}`];
