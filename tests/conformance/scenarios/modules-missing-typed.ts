enum Name { Far = 'library' }
interface Loaded {
  a: number;
}
const loaded: Loaded =
  await import(Name.Far);
return loaded.a;
