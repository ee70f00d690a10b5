let frozen = Object.isFrozen(input) && Object.isFrozen(input.list) && Object.isFrozen(input.list[1]);
let thrown = [];
for (const act of [() => { input.a = 2; }, () => { input.list.push(1); }, () => { globalThis.input = 1; },
  () => { delete globalThis.input; }]) {
  try {
    act();
  } catch (error) {
    thrown.push(error.name);
  }
}
return { frozen, thrown, own: Object.keys(globalThis).includes('input'), input };
