import('library');
await new Promise((done) => setTimeout(done, 5000));
