text('Turin');
console.log('0123456789012345678901234567890123456789');
return 'never';
