const seen = [];
try {
  await tools.big({ n: 1048575 });
} catch (error) {
  seen.push(error.code, error instanceof ToolError);
}
seen.push((await tools.big({ n: 1048574 })).length, await tools.echo(1));
return seen;
