const { sep } = await import('node:path');
await new Promise((go) => setTimeout(go, 400));
const { join } = await (0, eval)('import("node:path")');
return join('a', 'b') === `a${sep}b`;
