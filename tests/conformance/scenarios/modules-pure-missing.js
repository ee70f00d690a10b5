return await import('left-pad');
