const caught = [];
for (const told of [{ message: 'plain' }, { message: 'm', name: 'StockError', code: 'none', data: { left: 0 } }])
  await tools.fail(told).catch((error) => caught.push({
    ...error, name: error.name, message: error.message, is: error instanceof ToolError,
    isError: error instanceof Error, own: error.constructor === ToolError,
  }));
return caught;
