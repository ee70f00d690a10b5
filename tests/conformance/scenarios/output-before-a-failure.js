text('kept');
file('kept.txt', 'x');
console.log('kept');
throw new Error('late');
