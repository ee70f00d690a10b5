return tools.slow({ ms: 900, value: 'waited' });
