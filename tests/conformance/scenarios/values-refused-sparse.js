const list = [1, , 3];
return { list };
