return 2 – 1;
