for (const a of [1]) {
  console.log(a);
