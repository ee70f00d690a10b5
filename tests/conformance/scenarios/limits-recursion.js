const dive = () => dive() + 1;
try { dive(); } catch (error) { return error instanceof RangeError; }
