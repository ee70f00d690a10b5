// Many short spins add up.
for (;;) {
  const until = Date.now() + 20;
  while (Date.now() < until);
  await new Promise((resolve) => setTimeout(resolve, 5));
}
