const made = JSON.parse('{"__proto__":{"x":1},"constructor":2,"toString":3}');
const back = await tools.echo(made);
const kept = Object.getPrototypeOf(back) === Object.prototype && back.x === undefined;
return [made, back, Object.keys(back), kept];
