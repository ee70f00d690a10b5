process.stdout.write('68c3a9', 'hex');
process.stdout.write(new Uint8Array([104, 105]));
process.stderr.write(Buffer.from('€'));
return typeof process.stdout.write('x');
