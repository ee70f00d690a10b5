// What stands on Object.prototype is no member of an item.
const proto = Object.prototype;
proto.mimeType = 'a/b';
proto.encoding = 'base64';
proto.data = 'aGk=';
proto.byteLength = 2;
proto.name = 'polluted';
proto.text = 'polluted';
proto.uri = 'a:b';
emit({ type: 'resource', resource: {} });
emit({ type: 'resource_link' });
emit({ type: 'text' });
emit({});
store('a', { b: 1 });
text(load('b') === undefined);
for (const name of ['a', 'data', 'text', 'set', 'delete'])
  Object.defineProperty(proto, name, {
    configurable: true,
    get() {
      throw new Error('read');
    },
    set() {
      throw new Error('written');
    },
  });
text('still');
store('a', 2);
text(load('a'));
file('x', 'y');
