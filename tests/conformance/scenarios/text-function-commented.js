// What it does.
function main() {
  return 42;
};
