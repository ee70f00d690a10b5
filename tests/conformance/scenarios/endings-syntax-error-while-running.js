await tools.echo('ran');
return JSON.parse('{');
