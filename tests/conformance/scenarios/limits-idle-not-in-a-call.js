return tools.slow({ ms: 2500, value: 'waited' });
