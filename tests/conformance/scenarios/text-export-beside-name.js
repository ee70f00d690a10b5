async function main() {
  return 'called';
}

export default main;
