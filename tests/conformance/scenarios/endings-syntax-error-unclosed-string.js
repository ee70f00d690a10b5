const ok = 1;
const s = 'open;
