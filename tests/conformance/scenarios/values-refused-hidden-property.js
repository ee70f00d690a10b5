return { o: Object.defineProperty({}, 'hidden', { value: 1 }) };
