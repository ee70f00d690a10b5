await new Promise((resolve) => setTimeout(resolve, 10000).unref());
