console.log('≤ ☕ 👩‍👩‍👧 読');
console.log('half \ud83d and \udc00');
process.stdout.write(Buffer.from([0xe2]));
process.stdout.write(Buffer.from([0x89]));
process.stdout.write(Buffer.from([0xa4, 0x0a]));
