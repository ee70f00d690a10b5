Object.defineProperty(Object.prototype, 'code', { get() { return 'leaked'; }, set() {} });
Object.defineProperty(Object.prototype, 'kind', { get() { return 'value'; }, set() {} });
Object.defineProperty(Array.prototype, '0', { set() { throw new Error('index setter'); } });
Object.prototype.then = undefined;
const answer = await tools.echo([1, 2]);
return { answer, nested: { list: [await tools.echo('x')] } };
