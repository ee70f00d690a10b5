console.log('\u0001"'.repeat(1000));
