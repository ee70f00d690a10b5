for (let i = 0; i < 10000; i++) console.log(`line ${i}`);
return 'all';
