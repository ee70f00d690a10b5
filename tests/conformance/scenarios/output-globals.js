const names = ['text', 'image', 'emit', 'file', 'exit', 'store', 'load'];
const found = names.filter((name) => Object.keys(globalThis).includes(name));
// A program's own names are its own.
const text = (value) => value + 1;
return [found, names.map((name) => typeof globalThis[name]), text(1)];
