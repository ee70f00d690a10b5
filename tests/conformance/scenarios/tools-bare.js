// Functions that are globals themselves, and members of objects that are.
return {
  print: await print('a', 1), read: await fs.read('x'), stat: await fs.stat('y', 'z'),
  keys: Object.keys(fs), frozen: Object.isFrozen(fs), space: typeof home,
  failed: await boom().catch((error) => [error instanceof HomeError, error.tool]),
};
