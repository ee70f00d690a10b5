return load('a');
