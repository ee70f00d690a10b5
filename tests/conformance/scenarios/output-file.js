file('a.txt', 'Grüße');
file('a.csv', '1,2', { mimeType: 'text/csv' });
file('a.bin', new Uint8Array([0, 255]));
file('a.png', Buffer.from('iVBORw0KGgo=', 'base64'));
file(undefined, 'no name');
file('../../etc/passwd', '');
await file('a.json', new Blob(['{}'], { type: 'application/json' }));
await file('b.json', new Blob(['{}']), { mimeType: 'text/json' });
const said = [];
for (const given of [
  [1, 'a'],
  ['a', 1],
  ['a', null],
  ['a', {}],
  ['a', 'a', { mimeType: 1 }],
])
  try {
    file(...given);
  } catch (error) {
    said.push(`${error.name}: ${error.message}`);
  }
return said;
