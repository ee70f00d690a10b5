console.log('point', { x: 1, y: 2 });
process.stdout.write('raw-out\n');
console.warn('careful');
process.stderr.write('raw-err');
console.log('last');
