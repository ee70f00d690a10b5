console.error(new Error('shown'));
console.log({ nested: new TypeError('inside') });
