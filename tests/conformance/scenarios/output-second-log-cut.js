console.log('a'.repeat(30));
console.log('b'.repeat(100));
console.log('c');
return 1;
