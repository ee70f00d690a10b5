const a: string = ‘a’;
return a;
