return [[-Infinity]];
