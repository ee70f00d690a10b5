return input;
