const server = require('node:http').createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
await new Promise((resolve) => setTimeout(resolve, 100).unref());
server.close();
return 'server';
