return new Proxy({ a: 1 }, {});
