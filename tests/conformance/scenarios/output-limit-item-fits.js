text('Turin');
console.log('x');
text('Turin!!!');
