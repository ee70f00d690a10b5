if (true) 1;
