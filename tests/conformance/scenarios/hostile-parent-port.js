const { parentPort, workerData } = require('node:worker_threads');
for (const junk of [null, 1, [], {}, { type: 'done', ok: true }, ['done', 'ok', 1], 'done']) {
  try { parentPort?.postMessage(junk); } catch { }
}
await tools.echo(1);
return typeof workerData;
