const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
for (const byte of [0xe2, 0x89, 0xa4]) {
  process.stdout.write(Buffer.from([byte]));
  await pause(30);
}
return 'x';
