const [minus, huge] = [await home.minus(), await home.huge()];
return [await home.big(), await home.exponent(), Object.is(minus, -0), huge === Infinity];
