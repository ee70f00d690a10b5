// What the program sees of its stacks has the places of this text.
enum Colour { Red, Green, Blue }
const made = (colour: Colour) => new Error(`no ${Colour[colour]}`);
const first = made(Colour.Red);
console.log(first.stack);
process.removeAllListeners();
setTimeout(() => { throw first; }, 1);
await tools.never();
