const names = Object.keys(odd);
const seen = [];
for (const name of names) seen.push(await odd[name](name));
return {
  names, same: seen.every((name, i) => name === names[i]),
  own: odd.hasOwnProperty === undefined, prototype: Object.getPrototypeOf(odd),
};
