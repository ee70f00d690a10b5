const tried = (value) => {
  try {
    image(value);
    console.log('taken');
  } catch (error) {
    console.log(`${error.name}: ${error.message}`);
  }
};
for (const value of ['', 1, null, undefined, [], {}, { image_url: '' }, { image_url: 1 }, () => 1])
  tried(value);
for (const type of ['text', 'audio', 1]) tried({ type, data: 'iVBORw0KGgo=' });
for (const data of [undefined, '', 1]) tried({ type: 'image', data });
for (const url of ['http://a/b.png', 'HTTPS://a/b.png']) tried(url);
tried({ image_url: 'https://a/b.png' });
tried({ type: 'image', data: 'data:image/png,abc' });
for (const url of [
  'a.png',
  'file:///a.png',
  'data:image/png;base64',
  'data:image/png,abc',
  'iVBORw0KGgo=',
])
  tried(url);
// Charset, length, padding inside, and nothing at all.
for (const data of ['iVBORw0K_go=', 'iVBORw0KGg', 'iVBO=w0KGgo=', '', ' ', 'iVB!', '===='])
  tried(`data:image/png;base64,${data}`);
// No known signature: a text, an empty JPEG-LS, half a WebP.
for (const data of ['aGVsbG8h', '/9j/9wAA', '/9j/9AAA', 'UklGRhAAAABXQVZF', 'iVBORw=='])
  tried({ type: 'image', data });
tried(new Uint8Array(0));
tried(new Uint8Array([1, 2, 3]));
