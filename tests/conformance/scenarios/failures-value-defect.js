const caught = await tools.defect().then(() => 'a value', (error) => [
  error instanceof ToolError, error.code, error.message.replace(/[0-9a-f]{8}/, 'ID'), error.tool,
]);
return caught;
