console.log('%s is %d years and %i, %j %o%%', 'Ann', 42.5, 42.9, { a: 1 }, [1], 'rest');
console.log('no format', '%s', 'x');
console.log();
console.log('');
