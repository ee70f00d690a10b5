const { Blob } = require('node:buffer');
try {
  await tools.echo(new Blob([new Uint8Array(2000)]));
} catch (error) {
  console.log(error.code, error.message);
}
return new Blob([new Uint8Array(2000)]);
