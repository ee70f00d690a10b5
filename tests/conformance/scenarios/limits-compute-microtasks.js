const spin = () => Promise.resolve().then(spin);
await spin();
