// Buffers live outside the heap.
const kept = [];
for (;;) {
  kept.push(Buffer.alloc(4 << 20, 1));
  await new Promise((resolve) => setImmediate(resolve));
}
