let said = '';
for (let i = 0; i < 60; i++) said += `left 9007199254740991 ${i} $(reboot)\n`;
require('node:fs').writeSync(4, said);
return 'said';
