return [input, Object.getOwnPropertyDescriptor(globalThis, 'input')];
