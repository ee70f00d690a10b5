console.log('one');
text('two');
process.stdout.write('three\n');
image('data:image/gif;base64,R0lGODlhAQABAAAAACw=');
console.error('five');
emit({ type: 'text', text: 'six' });
file('seven.txt', '7');
console.log('eight');
