const a = { b: { c: [] } };
a.b.c.push(a);
return a;
