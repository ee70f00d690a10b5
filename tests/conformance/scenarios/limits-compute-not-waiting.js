// Waiting is free: 1.5 s for a tool, with one second of compute.
return tools.slow({ ms: 1500, value: 'in time' });
