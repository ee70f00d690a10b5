store('a', 2);
throw new Error('late');
