require('fs').writeSync(4, 'item 17\n{"type":"movies"}\n');
await new Promise((go) => setTimeout(go, 50));
