// What is behind a dot of a global, or of a namespace's path, has hints too.
return fs.raed('x');
