const o = {};
function deep() {
  return o.missing.field;
}
await tools.echo(1);
deep();
