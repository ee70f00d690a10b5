return new Promise((resolve) => setTimeout(async () => resolve(await tools.echo('later')), 20));
