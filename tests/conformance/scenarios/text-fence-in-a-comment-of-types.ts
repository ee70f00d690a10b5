/*
```js
return 1;
```
*/
const a: number = 2;
return a;
