const date = new Date(1);
const both = await tools.echo([date, date]);
return [both, both[0] === both[1]];
