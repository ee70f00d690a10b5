return { pages: [tools.slow({ ms: 20000 }), tools.never()] };
