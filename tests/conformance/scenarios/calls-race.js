const first = await Promise.race([tools.slow({ ms: 20000, value: 'slow' }), tools.echo('quick')]);
return first;
