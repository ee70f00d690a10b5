try {
  image(Buffer.concat([Buffer.from('iVBORw0KGgo=', 'base64'), Buffer.alloc(1000)]));
} catch {}
text('never');
