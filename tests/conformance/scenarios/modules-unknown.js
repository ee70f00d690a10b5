return await import('library').catch((error) => error.code);
