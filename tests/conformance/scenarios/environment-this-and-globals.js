return [this === undefined, typeof globalThis, typeof arguments];
