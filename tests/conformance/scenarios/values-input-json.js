return [input, input.$errand];
