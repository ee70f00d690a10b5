return await import('other').catch((error) => [error.name, error.message]);
