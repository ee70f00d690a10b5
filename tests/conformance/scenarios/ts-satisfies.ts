const config = { port: 80, host: 'here' } satisfies Record<string, string | number>;
return config.port.toFixed(1);
