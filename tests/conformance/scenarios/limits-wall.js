await new Promise((resolve) => setTimeout(resolve, 60000));
