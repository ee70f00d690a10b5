// A namespace whose functions have paths: the hint names them.
return github.issues.creat({});
