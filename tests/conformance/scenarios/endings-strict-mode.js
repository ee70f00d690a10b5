undeclared = 1;
