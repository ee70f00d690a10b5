const input = 5;
return input;
