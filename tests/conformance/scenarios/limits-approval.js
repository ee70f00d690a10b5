try {
  await tools.held({ ms: 20000 });
} catch (error) {
  return [error.code, error instanceof ToolError];
}
