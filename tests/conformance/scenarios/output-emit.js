emit({ type: 'text', text: 'a block', annotations: { audience: ['user'] } });
emit({ type: 'image', data: 'aGk=', mimeType: 'image/png' });
emit({ type: 'audio', data: 'aGk=', mimeType: 'audio/wav' });
emit({ type: 'resource', resource: { uri: 'a:b', text: 'c' } });
emit({ type: 'resource', resource: { uri: 'a:b', blob: 'aGk=' } });
emit({ type: 'resource_link', uri: 'a:b', name: 'c' });
emit({
  _tag: 'ToolFile',
  name: 'a.txt',
  mimeType: 'text/plain',
  encoding: 'base64',
  data: 'aGk=',
  byteLength: 2,
});
emit({ _tag: 'ToolFile', mimeType: 'a/b', encoding: 'base64', data: '', byteLength: 0 });
return emit(1) === undefined;
