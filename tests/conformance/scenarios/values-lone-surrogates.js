// JSON.stringify writes them as escapes; so they arrive, and come back.
const half = 'a\ud83d';
const back = await tools.echo(half);
return [half, '\udc00b', '😀'.slice(0, 1), back === half];
