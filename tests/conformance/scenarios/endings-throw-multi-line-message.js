throw new Error('first\nsecond\n    at fake (frame:1:1)');
