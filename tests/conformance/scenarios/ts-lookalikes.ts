// Types inside texts are text.
const template = `let x: number = ${((y: number): number => y + 1)(1)} as string`;
const pattern = /as string: number<T>/;
const comment = 'interface A {}'; /* enum B {} */ // namespace C {}
const compare = (1 as number) < 2 && 3 > (2);
return [template, pattern.source, comment, compare];
