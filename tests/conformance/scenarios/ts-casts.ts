const value: unknown = { deep: [1, 2, 3] };
const a = (value as { deep: number[] }).deep;
const b = <number>a[1];
const c = a!.length!;
const d = ['x', 'y'] as const;
return [a, b, c, d];
