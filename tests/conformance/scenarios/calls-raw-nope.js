try { await tools.nope(); } catch (error) { return [error.message, error instanceof ToolError]; }
