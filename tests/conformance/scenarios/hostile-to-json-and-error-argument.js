// An argument that is refused, and one that is not, under a patched prototype.
Object.prototype.toJSON = () => 'forged';
Object.defineProperty(Object.prototype, 'toJSON', { enumerable: false });
const seen = [];
try { await tools.echo({ a: 1n }); } catch (error) { seen.push(error.name); }
return [...seen, await tools.echo({ b: 1 })];
