enum A { X = 1 }
namespace N { export const a = 2; }
class C { constructor(private x: number) {} get(): number { return this.x; } }
const t = <T,>(x: T) => x;
const u = (3 as unknown) as number;
return [A.X, N.a, new C(4).get(), t(5), u!, 6 satisfies number];
