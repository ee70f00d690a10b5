// Whatever is asked of the bridge where the stack is nearly full happens whole, or not at all.
const acts = {
  log: () => console.log('whole'),
  text: () => text('whole'),
  file: () => file('whole', new Uint8Array(9)),
  store: () => store('key', { value: 1 }),
};
const done = {};
for (const name of Object.keys(acts)) {
  done[name] = 0;
  const act = () => {
    acts[name]();
    done[name]++;
  };
  // From the depth where it first fits; each round has frames of another size.
  const deep = (args) => {
    try {
      return deep(args);
    } catch {
      return Reflect.apply(act, undefined, args);
    }
  };
  for (let round = 0; round < 5; round++) deep(new Array(round).fill(0));
}
return { ...done, last: await tools.echo('last') };
