const far = 'library';
const { a } = await import(far);
return a;
