try { process.abort(); } catch (error) { return error.code; }
