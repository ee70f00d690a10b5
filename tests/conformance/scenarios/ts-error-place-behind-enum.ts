// Lines moved where the enum became code; the place told is that of this text.
enum Colour { Red, Green, Blue }
namespace Shapes { export const sides = 4; }
class Person { constructor(private name: string) {} }
const person: Person = new Person('a');
function deep(x: Colour): never {
  throw new RangeError(`no ${x}`);
}
deep(Colour.Blue);
