const names = Object.keys(process.env).sort();
return { env: names.map((name) => [name, process.env[name]]), home: process.env.HOME ?? null };
