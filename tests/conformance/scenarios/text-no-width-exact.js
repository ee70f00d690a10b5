​return 1;
