store('a', 1);
try {
  exit();
} catch {
  text('caught');
} finally {
  store('a', 2);
  text('finally');
}
console.log('late');
return 5;
