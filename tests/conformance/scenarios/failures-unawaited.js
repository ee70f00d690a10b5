// Its stack leads nowhere, since nothing of the program waits for it.
tools.fail({ message: 'no' });
await new Promise((done) => setTimeout(done, 60000));
