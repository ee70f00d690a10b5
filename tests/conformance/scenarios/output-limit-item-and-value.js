text('Turin');
console.log('x');
text('Turin!!!');
return 1;
