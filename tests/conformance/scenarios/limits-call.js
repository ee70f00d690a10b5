try {
  await tools.never();
} catch (error) {
  return [error.name, error.code, error.tool, await tools.echo('goes on')];
}
