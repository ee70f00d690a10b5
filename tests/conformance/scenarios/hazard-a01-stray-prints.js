process.stdout.write('no newline');
await tools.echo(1);
require('child_process').spawnSync('echo', ['gc'], { stdio: 'inherit' });
require('fs').writeSync(1, 'raw\n');
await tools.echo(2);
