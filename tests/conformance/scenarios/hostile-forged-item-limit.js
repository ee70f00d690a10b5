const { writeSync } = require('fs');
writeSync(4, 'item 30\n{"type":"text","text":"Turin"}\n');
writeSync(4, 'item 30\n');
for (;;);
