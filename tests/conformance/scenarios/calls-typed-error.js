try {
  await tools.fail({ message: 'no such city' });
} catch (error) {
  const { name, message, tool } = error;
  return [error instanceof ToolError, error instanceof Error, name, message, tool,
    error.code === undefined, error.data === undefined];
}
