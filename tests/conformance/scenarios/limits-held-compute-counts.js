const call = tools.held({ ms: 20000 });
for (;;);
