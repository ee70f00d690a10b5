Object.prototype.toJSON = () => 'forged';
return { a: undefined };
