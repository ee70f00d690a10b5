store('a', 2);
return () => 1;
