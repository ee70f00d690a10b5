await Promise.all([import('lib'), import('lib')]);
await import('lib');
return times;
