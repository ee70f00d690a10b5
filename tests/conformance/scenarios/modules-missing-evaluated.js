const load = new Function('name', 'return import(name)');
const again = () => (0, eval)('import("library")');
const first = await load('library').catch((error) => error.code);
return [first, await again()];
