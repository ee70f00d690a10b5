store('old', undefined);
store('new', load('a')[1]);
return [load('a'), load('old') === undefined, load('__proto__'), load('toString') === undefined];
