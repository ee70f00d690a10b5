```ts
interface A {
  b: number;
}
const a: A = { b: 9 };
return a.b;
```
