// Each is nearly a block or a file, and so a text.
emit({ type: 'text', text: 1 });
emit({ type: 'image', data: 'aGk=' });
emit({ type: 'audio', mimeType: 'audio/wav' });
emit({ type: 'resource', uri: 'a:b', text: 'c' });
emit({ type: 'resource', resource: { uri: 'a:b' } });
emit({ type: 'resource_link', uri: 'a:b' });
emit({ type: 'video', data: 'aGk=' });
emit({ type: { toString: () => 'text' }, text: 'a' });
const file = { _tag: 'ToolFile', mimeType: 'a/b', encoding: 'base64', data: 'aGk=', byteLength: 2 };
emit({ ...file, byteLength: 3 });
emit({ ...file, encoding: 'hex' });
emit({ ...file, data: 'aGk' });
emit({ ...file, name: 1 });
emit({ ...file, mimeType: undefined });
emit(
  new (class Block {
    type = 'text';
    text = 'of a class';
  })(),
);
