let frozen = Object.isFrozen(ALL_TOOLS) && ALL_TOOLS.every(Object.isFrozen);
try { ALL_TOOLS.push(1); frozen = false; } catch { /* It is frozen. */ }
return { ALL_TOOLS, frozen, isArray: Array.isArray(ALL_TOOLS) };
