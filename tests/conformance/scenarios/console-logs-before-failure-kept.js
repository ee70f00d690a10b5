console.log('one');
console.log('two');
throw new Error('three');
