// Held time is not the call's, nor the wall's.
return tools.held({ ms: 2600, then: 50 });
