interface Sum { a: number; b: number }
declare const tools: { add(args: Sum): Promise<number>; echo<T>(x: T): Promise<T> };
const sum: number = await tools.add({ a: 40, b: 2 } satisfies Sum);
return await tools.echo<{ sum: number }>({ sum });
