return [typeof input, 'input' in globalThis, input === undefined];
