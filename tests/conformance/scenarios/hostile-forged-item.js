require('fs').writeSync(4, 'item 30\n{"type":"text","text":"Turin"}\n');
await new Promise((go) => setTimeout(go, 50));
text('true');
