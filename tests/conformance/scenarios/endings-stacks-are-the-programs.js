const show = (error) => console.log(error.stack);
function inner() {
  console.trace('here');
  return new Error('made');
}
show(inner());
async function ask() {
  await tools.fail('no');
}
try {
  await ask();
} catch (error) {
  show(error);
}
try {
  require('node:fs').readFileSync('/none');
} catch (error) {
  show(error);
}
