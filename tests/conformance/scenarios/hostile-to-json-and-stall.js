Object.prototype.toJSON = () => 'forged';
await new Promise(() => {});
