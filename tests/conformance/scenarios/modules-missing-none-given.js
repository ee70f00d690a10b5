return await import('no-such-package-of-ours');
