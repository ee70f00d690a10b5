// The message of the timeout does not fit: the meter's kind is the one told.
console.log('z'.repeat(40));
for (;;);
