// One byte over what a frame may carry fails that call; the others go on.
const seen = [];
try {
  await tools.echo('x'.repeat(1048575));
} catch (error) {
  seen.push(error.code, error instanceof ToolError);
}
seen.push((await tools.echo('x'.repeat(1048574))).length, await tools.echo(1));
return seen;
