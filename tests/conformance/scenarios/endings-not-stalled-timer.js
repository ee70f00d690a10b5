return new Promise((resolve) => setTimeout(() => resolve('timer'), 300));
