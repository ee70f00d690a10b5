return tools.held({ ms: 3000, then: 0 });
