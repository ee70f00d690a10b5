return Object.keys(await import('fs'));
