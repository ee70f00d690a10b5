return { nothing: undefined, not: NaN, up: [Infinity, -Infinity], minus: -0, big: 2n ** 70n };
