// What the program leaves running does not keep the run from ending.
setInterval(() => {}, 1000);
require('node:net').createServer().listen(0, '127.0.0.1');
return 'done';
