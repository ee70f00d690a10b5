return await import('lib').catch((error) => error.name);
