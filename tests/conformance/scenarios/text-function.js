async function main() {
  return 42;
}
