require('node:child_process').spawn('sh', ['-c', 'sleep 338 & wait']);
await new Promise((resolve) => setTimeout(resolve, 60000));
