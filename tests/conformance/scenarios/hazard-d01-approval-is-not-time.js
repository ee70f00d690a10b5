return tools.held({ ms: 1500, then: 0 });
