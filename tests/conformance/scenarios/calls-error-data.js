try {
  const data = { status: 404, body: ['€'] };
  await tools.fail({ message: 'm', name: 'UpstreamError', code: 'E_UP', data });
} catch (error) {
  const { name, code, data, tool } = error;
  return { name, code, data, tool, typed: error instanceof ToolError };
}
