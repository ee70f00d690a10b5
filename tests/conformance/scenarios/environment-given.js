return { env: { ...process.env }, home: process.env.HOME ?? null };
