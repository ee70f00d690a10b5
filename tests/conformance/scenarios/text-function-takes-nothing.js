function main(...all) {
  return all.length;
}
