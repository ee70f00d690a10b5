const { a, default: b } = await import('lib');
return [a, b];
