const far = 'node:fs';
return (await import(far)).readFileSync;
