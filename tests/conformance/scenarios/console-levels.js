console.debug('a');
console.log('b');
console.info('c');
console.warn('d');
console.error('e');
