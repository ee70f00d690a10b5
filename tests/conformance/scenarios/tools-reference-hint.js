const a = 1;
return mial.send(a);
