// A prototype that only pretends to be Object's.
const fake = Object.create({ constructor: Object, toString: Object.prototype.toString });
fake.x = 1;
Function.prototype.toString = () => 'function Object() { [native code] }';
return fake;
