try {
  await tools.denied({ ms: 100 });
} catch (error) {
  return [error.message, error.code, error instanceof ToolError];
}
