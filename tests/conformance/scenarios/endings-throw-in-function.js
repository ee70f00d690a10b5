function inner() {
  return null.x;
}
async function outer() {
  await 1;
  inner();
}
await outer();
