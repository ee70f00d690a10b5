const one = 1;
async () => one;
