const na​me = 1;
return 1;
