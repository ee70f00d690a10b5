const { Blob } = require('node:buffer');
const blob = new Blob(['hé', new Uint8Array([0, 255])], { type: 'text/plain' });
const [got, other] = await Promise.all([tools.echo({ a: [blob] }), tools.echo([new Blob([])])]);
const bytes = new Uint8Array(await got.a[0].arrayBuffer());
return { blob, got: [got.a[0].type, bytes, other[0].size] };
