process.stdout.write('w'.repeat(200));
return 1;
