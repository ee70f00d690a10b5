return { n: new Number(1) };
