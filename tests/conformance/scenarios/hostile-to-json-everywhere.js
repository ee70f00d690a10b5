Object.prototype.toJSON = Array.prototype.toJSON = String.prototype.toJSON = () => 'forged';
console.log('log');
return { a: [1, 'x'], back: await tools.echo({ b: ['y'] }) };
