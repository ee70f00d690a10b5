let deep = 1;
for (let i = 0; i < 9998; i++) deep = [deep];
store('k', deep);
let said;
try {
  store('l', [deep]);
} catch (error) {
  said = `${error.name}: ${error.message}`;
}
let depth = 0;
for (let at = load('k'); Array.isArray(at); at = at[0]) depth++;
return [depth, said];
