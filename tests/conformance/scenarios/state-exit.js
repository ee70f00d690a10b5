text('shown');
store('a', 1);
console.log('said');
exit();
text('never');
return 5;
