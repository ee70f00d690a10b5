throw { code: 7, toString() { return 'never asked'; } };
