let reads = 0;
const turncoat = (honest, later) =>
  new Proxy(honest, {
    get: (target, name) => (name === 'type' && reads++ > 0 ? later : Reflect.get(target, name)),
  });
emit(turncoat({ type: 'text', text: 'a' }, 'video'));
reads = 0;
emit(turncoat({ type: 'resource_link', uri: 'a', name: 'b' }, 'text'));
const throwing = new Proxy(
  {},
  {
    get: () => {
      throw new Error('get');
    },
    getPrototypeOf: () => {
      throw new Error('getPrototypeOf');
    },
  },
);
const said = [];
for (const job of [text, image, emit, (value) => file('a', value), (value) => store('a', value)])
  try {
    job(throwing);
    said.push('taken');
  } catch (error) {
    said.push(`${error.name}: ${error.message}`.slice(0, 60));
  }
try {
  emit(new Proxy(new Blob(['x']), {}));
} catch (error) {
  said.push(error.name);
}
return said;
