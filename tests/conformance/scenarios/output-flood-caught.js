// Nothing the program catches undoes the end.
try {
  for (;;) console.log('y'.repeat(1000));
} catch {
  return 'caught';
}
