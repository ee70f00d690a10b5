const ok = 1; /* and then
