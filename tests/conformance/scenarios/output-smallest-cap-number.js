return 10;
