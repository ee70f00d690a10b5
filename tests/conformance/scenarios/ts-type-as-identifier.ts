const type = 'a';
const of = 1, as = 2, satisfies = 3, declare = 4, readonly = 5, namespace = 6;
const object = { type, interface: 7, enum: 8 };
type
  = object.type;
return [type, of, as, satisfies, declare, readonly, namespace, object];
