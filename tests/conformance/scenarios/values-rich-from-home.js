const { a, b, c } = await home.all();
const [map] = [a[1]];
return [a[0] === undefined, map.get('k') instanceof Date, [...b], c.name, c.cause, c instanceof Error,
  await home.nothing(), await home.plain()];
