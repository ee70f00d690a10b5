return { problem: new TypeError('x') };
