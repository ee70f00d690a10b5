// Held time is not the call's, nor the wall's.
return tools.held({ ms: 1200, then: 50 });
