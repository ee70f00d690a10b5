return 100;
