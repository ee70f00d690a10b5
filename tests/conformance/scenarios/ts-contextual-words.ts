const type = 'a';
const of = 1, as = 2, satisfies = 3, declare = 4, readonly = 5;
const object = { type, interface: 7, enum: 8, as: <T>(x: T) => x };
return [type, of, as, satisfies, declare, readonly, object.interface, object.as<number>(9)];
