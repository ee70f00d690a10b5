console.log('abc');
throw 'xy';
