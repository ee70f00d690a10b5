const stats: import('node:fs').Stats | null = null;
type Read = typeof import('node:fs').readFileSync;
const { readFileSync }: { readFileSync: Read } = await import('node:fs');
return [stats, typeof readFileSync];
